import type { Ports } from '../../../platform/index.ts'
import { openOperand, SshRefusal, say, sentences } from '../../git-transport/index.ts'
import { LfsProblem } from '../problems.ts'
import { admitLfs } from './admission.ts'
import type { LfsCaller } from './credentials.ts'
import { issueLfsToken, type LfsGrant, tokenSeconds } from './tokens.ts'

/** The user name that git LFS sends with the token. Only the token identifies the caller. */
function userNameOf({ git, grant }: LfsCaller): string {
  if (git.kind === 'actor' && git.actor.kind === 'user') return git.actor.username
  return `lfs+deploy-key-${grant && 'keyId' in grant ? grant.keyId : ''}`
}

/** `git-lfs-authenticate <path> <download|upload>`: issues a token for the LFS service over HTTP (contract 22 R1). */
export const lfsAuthenticate: Ports['ssh.lfs_authenticate'] = async (platform, { operands, caller, session }) => {
  const [path, operation] = operands
  if (operation !== 'download' && operation !== 'upload') throw new SshRefusal(sentences.notAllowed)
  const { fullPath } = await openOperand(platform, caller, path, 'git-upload-pack')
  // With the messages of git where git refuses. The project exists, so this cannot create it.
  if (operation === 'upload') await openOperand(platform, caller, path, 'git-receive-pack')
  const access = await admitLfs(platform, fullPath, { git: caller, grant: null }, operation).catch((error) => {
    throw error instanceof LfsProblem ? new SshRefusal(String(error.body.message)) : error
  })
  const grant: LfsGrant = { ...session.identity, projectId: access.project.id, operation }
  const token = await issueLfsToken(platform, grant)
  const basic = Buffer.from(`${userNameOf({ git: caller, grant })}:${token}`).toString('base64')
  const answer = {
    header: { Authorization: `Basic ${basic}` },
    href: `${platform.externalUrl}/${access.project.full_path}.git/info/lfs`,
    expires_in: tokenSeconds,
  }
  await say(session.stdout, `${JSON.stringify(answer)}\n`)
  return 0
}
