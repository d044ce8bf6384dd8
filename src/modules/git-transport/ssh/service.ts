import type { Writable } from 'node:stream'
import { GitError } from '../../../infra/git/index.ts'
import type { SshService, SshSession } from '../../../infra/ssh/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { sentences } from '../access/refusals.ts'
import { parseCommandLine } from './command-line.ts'
import { commands, SshRefusal } from './commands.ts'
import { identifyKey, type SshIdentity, sshCaller } from './identity.ts'

const idle = 'The connection was idle for too long.'
const malformed = "The request does not follow git's protocol."

const line = '='.repeat(72)

/** A refusal in the form in which clients show it (contract 22 R1). */
function framed(text: string): string {
  const lines = ['', line, '', ...`ERROR: ${text}`.split('\n'), '', line, '']
  return lines.map((each) => `remote: ${each}\n`).join('')
}

function failureText(error: unknown): string {
  if (!(error instanceof GitError)) return sentences.unavailable
  if (error.code === 'timeout') return idle
  return error.code === 'protocol_error' ? malformed : sentences.unavailable
}

/** Resolves once the text is written, or the client is gone. */
export function say(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

/** Runs the command of a session. @returns its exit code @throws SshRefusal */
async function runCommand(platform: Platform, session: SshSession<SshIdentity>): Promise<number> {
  const found = await sshCaller(platform, session.identity)
  if ('refused' in found) throw new SshRefusal(found.refused)
  const { caller, name } = found
  if (session.command === '') {
    await say(session.stdout, `Welcome to GitLab, ${name}!\n`)
    return 0
  }
  const parsed = parseCommandLine(session.command)
  const command = parsed && commands.get(parsed.name)
  if (!command) throw new SshRefusal(sentences.notAllowed)
  return command(platform, { operands: parsed.operands, caller, session })
}

/** Git over SSH (contract 22 R1, R2). */
export function gitSsh(platform: Platform): SshService<SshIdentity> {
  return {
    authenticate: (offered) => identifyKey(platform, offered),
    async run(session) {
      try {
        return await runCommand(platform, session)
      } catch (error) {
        if (error instanceof SshRefusal) await say(session.stderr, framed(error.message))
        else if (!session.signal.aborted) {
          platform.log.warn({ err: error, ip: session.address }, 'git transfer failed')
          await say(session.stderr, framed(failureText(error)))
        }
        return 1
      }
    },
  }
}
