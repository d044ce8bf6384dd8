import type { Platform } from '../../platform/index.ts'

/** The name of this server among the servers that applications know: its address. */
export const issuerOf = ({ externalUrl }: Platform) => externalUrl.replace(/\/$/, '')
