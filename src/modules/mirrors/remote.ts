import type { RemoteOptions } from '../../infra/git/index.ts'
import { type Lookup, resolveOutbound } from '../../infra/net/index.ts'
import { largestImport, outboundPolicy, pinnedAddress } from '../projects/index.ts'
import type { Settings } from '../settings/index.ts'
import { noSsh } from './failures.ts'

export type RemotesNeeds = {
  settings: Pick<Settings, 'current'>
  /** Finds the addresses of a name; the system's own way unless told. */
  lookup?: Lookup
}

/** A place elsewhere as git is told of it: the addresses that were checked, and how long it may take. */
export type Remote = {
  url: string
  /** For a question. */
  asking: RemoteOptions
  /** For what moves objects; what comes in may be no more than an import. */
  moving: RemoteOptions & { maxBytes?: number }
}

const askingMs = 60_000
const movingMs = 3_600_000

/** A server that says nothing for so long holds up nobody else. */
const patience = ['http.lowSpeedLimit=1', 'http.lowSpeedTime=600']

/** Finds out where an address leads, anew for every run. */
export function createRemotes({ settings, lookup }: RemotesNeeds) {
  /** @throws BlockedAddress when it leads where the server may not go; MirrorFailed for SSH */
  return async (address: URL, signal: AbortSignal): Promise<Remote> => {
    if (address.protocol === 'ssh:') throw noSsh()
    const current = await settings.current()
    const { url, config } = pinnedAddress(address, await resolveOutbound(address, outboundPolicy(current), lookup))
    const common = { config: [...config, ...patience], signal }
    return {
      url,
      asking: { ...common, timeoutMs: askingMs },
      moving: { ...common, timeoutMs: movingMs, maxBytes: largestImport(current) },
    }
  }
}

export type Remotes = ReturnType<typeof createRemotes>
