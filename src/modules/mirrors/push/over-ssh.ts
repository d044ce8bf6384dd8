import { resolveOutbound } from '../../../infra/net/index.ts'
import { openSshTunnel, type SshRemote } from '../../../infra/ssh/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { outboundPolicy } from '../../projects/index.ts'
import { openPrivateKey } from '../address.ts'
import { failureOverSsh, MirrorFailed } from '../failures.ts'
import { type Remote, remoteOf } from '../remote.ts'
import type { RemoteMirrorRow } from '../tables.ts'
import { updateRemoteMirror } from './store.ts'

/** What signs in: the key of the mirror, or the password in its address. */
async function credentialOf(platform: Platform, mirror: RemoteMirrorRow, address: URL) {
  if (mirror.auth_method === 'password') return { password: decodeURIComponent(address.password) }
  if (mirror.sealed_private_key === null) throw new MirrorFailed('The mirror has no key. Set up the mirror anew.')
  return { privateKey: await openPrivateKey(platform, mirror.sealed_private_key, mirror.project_id) }
}

/** The server of a mirror, its addresses checked. @throws BlockedAddress when the policy forbids it */
async function serverOf(platform: Platform, mirror: RemoteMirrorRow, address: URL): Promise<SshRemote> {
  const policy = outboundPolicy(await platform.settings.current())
  const { addresses, port } = await resolveOutbound(address, policy)
  const username = address.username === '' ? 'git' : decodeURIComponent(address.username)
  const credential = await credentialOf(platform, mirror, address)
  return { address: addresses[0] ?? '', port, username, hostKey: mirror.host_key, ...credential }
}

/**
 * Pushes over SSH. The key of the server is stored when the mirror first signs in there; afterwards no other is accepted.
 * @throws MirrorFailed, BlockedAddress, GitError
 */
export async function pushOverSsh(
  platform: Platform,
  mirror: RemoteMirrorRow,
  address: URL,
  signal: AbortSignal,
  push: (remote: Remote) => Promise<void>,
): Promise<void> {
  await using tunnel = await openSshTunnel(await serverOf(platform, mirror, address))
  const bare = new URL(address)
  bare.port = ''
  try {
    await push(remoteOf(bare.href, { ssh: tunnel.command, signal }))
  } catch (error) {
    throw failureOverSsh(error, tunnel.failure(), tunnel.said())
  } finally {
    const host_key = tunnel.hostKey()
    if (host_key !== null && mirror.host_key === null) {
      await platform.database.write((tx) => updateRemoteMirror(tx, mirror.id, { host_key }))
    }
  }
}
