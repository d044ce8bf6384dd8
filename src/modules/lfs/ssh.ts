import type { Writable } from 'node:stream'
import { type GitAccess, type SshCommand, SshRefusal } from '../git-transport/index.ts'
import type { LfsCaller } from './credentials.ts'
import type { LfsAccess } from './entrance.ts'
import { LfsProblem } from './problems.ts'
import { type LfsOperation, type LfsTokens, tokenSeconds } from './tokens.ts'

export type LfsSshNeeds = {
  externalUrl: string
  tokens: LfsTokens
  enter(fullPath: string, caller: LfsCaller, operation: LfsOperation): Promise<LfsAccess>
}

const notAllowed = "The command you're trying to execute is not allowed."

function operationOf(operand: string | undefined): LfsOperation {
  if (operand !== 'download' && operand !== 'upload') throw new SshRefusal(notAllowed)
  return operand
}

/** By which name git LFS comes; the token alone says who it is. */
function userNameOf({ git, grant }: LfsCaller): string {
  return git.kind === 'actor' && git.actor.kind === 'user' ? git.actor.username : `lfs+deploy-key-${grant?.keyId}`
}

function say(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

/** `git-lfs-authenticate <path> <download|upload>`: the way from SSH to the objects, which go by HTTP (contract 22 R1). */
export function lfsAuthenticate({ externalUrl, tokens, enter }: LfsSshNeeds): SshCommand {
  return async ({ operands, caller, session, open }) => {
    const operation = operationOf(operands[1])
    const found: GitAccess = await open(operands[0], 'git-upload-pack')
    // Refused in the words of git, where git would refuse; what exists is asked for, so that no push makes it.
    if (operation === 'upload') await open(operands[0], 'git-receive-pack')
    const { keyId } = session.identity
    const { project } = await enter(found.fullPath, { git: caller, grant: null }, operation).catch((error) => {
      throw error instanceof LfsProblem ? new SshRefusal(String(error.body.message)) : error
    })
    const grant = { keyId, projectId: project.id, operation }
    const userName = userNameOf({ git: caller, grant })
    const basic = Buffer.from(`${userName}:${await tokens.issue(grant)}`).toString('base64')
    const answer = {
      header: { Authorization: `Basic ${basic}` },
      href: `${externalUrl}/${project.full_path}.git/info/lfs`,
      expires_in: tokenSeconds,
    }
    await say(session.stdout, `${JSON.stringify(answer)}\n`)
    return 0
  }
}
