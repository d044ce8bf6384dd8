import type { Platform } from './platform.ts'

/** Host of the container registry as image names begin with it, with the port unless that is the scheme's default. */
export function registryHost({ config, externalUrl }: Pick<Platform, 'config' | 'externalUrl'>): string {
  return new URL(config.registryUrl ?? externalUrl).host
}
