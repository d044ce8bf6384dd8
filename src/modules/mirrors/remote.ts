import type { RemoteOptions } from '../../infra/git/index.ts'
import { resolveOutbound } from '../../infra/net/index.ts'
import type { Platform } from '../../platform/index.ts'
import { largestImport, outboundPolicy, pinnedAddress } from '../projects/index.ts'
import { MirrorFailed } from './failures.ts'

/** A remote repository for git: its checked addresses and time limits. */
export type Remote = {
  url: string
  /** Options for reading refs. */
  asking: RemoteOptions
  /** Options for transferring objects; a fetch has the size limit of imports. */
  moving: RemoteOptions & { maxBytes?: number }
}

const askingMs = 60_000
const movingMs = 3_600_000

/** Git gives up on a server that sends nothing for ten minutes. */
const lowSpeed = ['http.lowSpeedLimit=1', 'http.lowSpeedTime=600']

/**
 * Resolves the host of an address and pins it, for one run.
 * @throws BlockedAddress when the policy forbids it; MirrorFailed for SSH, which push mirrors use by `pushedOverSsh`
 */
export async function resolveRemote({ settings }: Platform, address: URL, signal: AbortSignal): Promise<Remote> {
  if (address.protocol === 'ssh:') {
    throw new MirrorFailed('Mirroring over SSH is not available. Use an http, https or git address.')
  }
  const current = await settings.current()
  const { url, config } = pinnedAddress(address, await resolveOutbound(address, outboundPolicy(current)))
  const common = { config: [...config, ...lowSpeed], signal }
  return remoteOf(url, common, largestImport(current))
}

/** The time limits of a remote. @param common options of all commands */
export const remoteOf = (url: string, common: Omit<RemoteOptions, 'timeoutMs'>, maxBytes?: number): Remote => ({
  url,
  asking: { ...common, timeoutMs: askingMs },
  moving: { ...common, timeoutMs: movingMs, maxBytes },
})
