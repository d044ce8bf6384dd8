import type { Sealer } from '../../infra/secrets/index.ts'

const contextOf = (projectId: number) => `mirrors:${projectId}:url`

/** Seals the whole address of a mirror, for this project alone. */
export function sealAddress(sealer: Sealer, address: URL, projectId: number): string {
  return sealer.seal(address.href, contextOf(projectId))
}

/** @throws SealError when it was sealed for another project, or under a key that is gone */
export function openAddress(sealer: Sealer, sealed: string, projectId: number): URL {
  return new URL(sealer.open(sealed, contextOf(projectId)))
}
