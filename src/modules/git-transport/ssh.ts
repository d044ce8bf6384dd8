import type { Writable } from 'node:stream'
import type { Logger } from 'pino'
import { GitError, callerOf as placeHolder } from '../../infra/git/index.ts'
import type { SshService, SshSession } from '../../infra/ssh/index.ts'
import type { Repositories } from '../repositories/index.ts'
import { type GitAccess, type GitService, type gitAccess, sentenceOf, sentences } from './access.ts'
import { nameOf } from './caller-names.ts'
import type { GitCaller } from './credentials.ts'
import { pushGateOf } from './push-gate.ts'
import { parseCommandLine, projectPathOf } from './ssh-command.ts'
import { type SshIdentity, type SshIdentityNeeds, sshIdentities } from './ssh-identity.ts'

/** A command that somebody has given. */
export type SshCall = {
  operands: readonly string[]
  caller: GitCaller
  session: SshSession<SshIdentity>
  /** Lets the caller in to the project of a path; throws when they may not. */
  open(operand: string | undefined, service: GitService): Promise<GitAccess>
}

/** Does what a command says, and returns its exit code. @throws SshRefusal */
export type SshCommand = (call: SshCall) => Promise<number>

/** A command is refused; the client hears the sentence, and exit code 1. */
export class SshRefusal extends Error {}

export type GitSshNeeds = SshIdentityNeeds & {
  /** The address of the platform, for the links that a pusher is shown. */
  externalUrl: string
  /** The address from which a project is cloned over SSH. */
  remoteUrl(fullPath: string): string
  admit: ReturnType<typeof gitAccess>
  repositories: Repositories
  /** What the pusher's refused sentences begin with (contract 01). */
  messagePrefix: string
  /** Largest pack that is taken, in bytes; null for any. */
  maxInputSizeBytes(): Promise<number | null>
  /** Whether git may come by SSH at all (setting `enabled_git_access_protocol`). */
  sshAllowed(): Promise<boolean>
  /** Commands besides those of git itself, by name. */
  commands?: Readonly<Record<string, SshCommand>>
  log: Logger
}

const notAllowed = "The command you're trying to execute is not allowed."
const protocolOff = 'Git access over SSH is not allowed'
const unavailable = 'The service is unavailable. Please try again later.'
const idle = 'The connection was idle for too long.'

const malformed = "The request does not follow git's protocol."

function failureText(error: unknown): string {
  if (error instanceof GitError && error.code === 'timeout') return idle
  return error instanceof GitError && error.code === 'protocol_error' ? malformed : unavailable
}

const rule = '='.repeat(72)

/** A refusal in the form in which clients show it (contract 22 R1). */
function framed(text: string): string {
  const lines = ['', rule, '', ...`ERROR: ${text}`.split('\n'), '', rule, '']
  return lines.map((line) => `remote: ${line}\n`).join('')
}

/** Whose places a command takes. */
function placesOf({ caller, session }: SshCall): string {
  return placeHolder(nameOf(caller), session.address)
}

/** Resolves once it is written, or nobody listens any more. */
function say(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve) => stream.write(text, () => resolve()))
}

/** Git over SSH (contract 22 R1, R2). */
export function createGitSsh(needs: GitSshNeeds): SshService<SshIdentity> {
  const { admit, repositories, log } = needs
  const { authenticate, callerOf } = sshIdentities(needs)

  const fetch: SshCommand = async (call) => {
    const { operands, session, open } = call
    const repository = await repositories.open((await open(operands[0], 'git-upload-pack')).row)
    const { gitProtocol: protocol, signal, stdin, stdout } = session
    const options = { stateless: false, protocol, signal, caller: placesOf(call) }
    const { exitCode } = await repository.uploadPack(options, stdin, stdout)
    return exitCode
  }

  const push: SshCommand = async (call) => {
    const { operands, caller, session, open } = call
    const access = await open(operands[0], 'git-receive-pack')
    const repository = await repositories.open(access.row)
    const maxInputSizeBytes = (await needs.maxInputSizeBytes()) ?? undefined
    const { gateFor, finish } = pushGateOf(access, caller, needs)
    const { gitProtocol: protocol, signal, stdin, stdout } = session
    const conversation = { stateless: false, protocol, signal, caller: placesOf(call) }
    const options = { ...conversation, gate: gateFor(repository), maxInputSizeBytes }
    await repository.receivePack(options, stdin, stdout).finally(finish)
    return 0
  }

  const archive: SshCommand = async (call) => {
    const { operands, session, open } = call
    const { row } = await open(operands[0], 'git-upload-pack')
    const repository = await repositories.open(row)
    const snapshot = await repositories.refs(row)
    // Branches and tags alone, as by a clone: what the server keeps for itself is not to be had by its name.
    const offers = async (revision: string) =>
      revision === 'HEAD' ||
      snapshot.branch(revision.replace(/^refs\/heads\//, '')) !== null ||
      snapshot.tag(revision.replace(/^refs\/tags\//, '')) !== null
    const { signal, stdin, stdout } = session
    return (await repository.uploadArchive({ offers, signal, caller: placesOf(call) }, stdin, stdout)).exitCode
  }

  const commands = new Map<string, SshCommand>([
    ['git-upload-pack', fetch],
    ['git-receive-pack', push],
    ['git-upload-archive', archive],
    ...Object.entries(needs.commands ?? {}),
  ])

  /** The way in to projects for a caller. */
  function opener(caller: GitCaller): SshCall['open'] {
    return async (operand, service) => {
      if (!(await needs.sshAllowed())) throw new SshRefusal(protocolOff)
      const path = projectPathOf(operand ?? '')
      if (path === null) throw new SshRefusal(sentences.notFound)
      const access = await admit(path, caller, service)
      if ('kind' in access) throw new SshRefusal(sentenceOf(access))
      return access
    }
  }

  async function obey(session: SshSession<SshIdentity>): Promise<number> {
    const found = await callerOf(session.identity)
    if ('refused' in found) throw new SshRefusal(found.refused)
    const { caller, name } = found
    if (session.command === '') {
      await say(session.stdout, `Welcome to GitLab, ${name}!\n`)
      return 0
    }
    const line = parseCommandLine(session.command)
    const command = line && commands.get(line.name)
    if (!command) throw new SshRefusal(notAllowed)
    return command({ operands: line.operands, caller, session, open: opener(caller) })
  }

  return {
    authenticate,
    async run(session) {
      try {
        return await obey(session)
      } catch (error) {
        if (error instanceof SshRefusal) await say(session.stderr, framed(error.message))
        else if (!session.signal.aborted) {
          log.warn({ err: error, ip: session.address }, 'git transfer failed')
          await say(session.stderr, framed(failureText(error)))
        }
        return 1
      }
    },
  }
}
