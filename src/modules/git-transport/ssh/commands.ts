import { callerOf } from '../../../infra/git/index.ts'
import type { SshSession } from '../../../infra/ssh/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, refsOf } from '../../../platform/repositories/index.ts'
import { countFetch } from '../../fetch-statistics/index.ts'
import { pathOfAlias } from '../../project-aliases/index.ts'
import { admit, type GitAccess, type GitService } from '../access/admission.ts'
import { type GitCaller, nameOf } from '../access/callers.ts'
import { sentenceOf, sentences } from '../access/refusals.ts'
import { maxInputSizeBytes, pushGateOf } from '../push-gate.ts'
import { projectPathOf } from './command-line.ts'
import type { SshIdentity } from './identity.ts'

/** A command that a client has sent. */
type SshCall = {
  operands: readonly string[]
  caller: GitCaller
  session: SshSession<SshIdentity>
}

/** Runs a command and returns its exit code. @throws SshRefusal */
type SshCommand = (platform: Platform, call: SshCall) => Promise<number>

/** A refused command; the client gets the sentence, and exit code 1. */
export class SshRefusal extends Error {}

declare module '../../../platform/platform.ts' {
  interface Questions {
    /** `git-lfs-authenticate <path> <download|upload>` (contract 22 R1). */
    'ssh.lfs_authenticate'(call: SshCall): Promise<number>
  }
}

const protocolOff = 'Git access over SSH is not allowed'

/** Admits the caller to the repository that an operand names. @throws SshRefusal */
export async function openOperand(
  platform: Platform,
  caller: GitCaller,
  operand: string | undefined,
  service: GitService,
): Promise<GitAccess> {
  const { enabled_git_access_protocol: protocol } = await platform.settings.current()
  if (protocol === 'http') throw new SshRefusal(protocolOff)
  const named = projectPathOf(operand ?? '')
  if (named === null) throw new SshRefusal(sentences.notFound)
  // A path has a slash, and an alias none (contract 26.16).
  const path = named.includes('/') ? named : ((await pathOfAlias(platform.database.read, named)) ?? named)
  const access = await admit(platform, path, caller, service)
  if ('kind' in access) throw new SshRefusal(sentenceOf(access))
  return access
}

/** Opens the repository that the first operand names, with the options of the transfer. @throws SshRefusal */
async function openTransfer(platform: Platform, { operands, caller, session }: SshCall, service: GitService) {
  const access = await openOperand(platform, caller, operands[0], service)
  const { gitProtocol: protocol, signal, address } = session
  const options = { stateless: false, protocol, signal, caller: callerOf(nameOf(caller), address) }
  return { access, repository: await openRow(platform, access.row), options }
}

const fetch: SshCommand = async (platform, call) => {
  const { access, repository, options } = await openTransfer(platform, call, 'git-upload-pack')
  countFetch(platform, access)
  return (await repository.uploadPack(options, call.session.stdin, call.session.stdout)).exitCode
}

const push: SshCommand = async (platform, call) => {
  const { access, repository, options } = await openTransfer(platform, call, 'git-receive-pack')
  const remoteUrl = (fullPath: string) => `${platform.sshPrefix}${fullPath}.git`
  const { gateFor, finish } = pushGateOf(platform, access, call.caller, remoteUrl)
  const gated = { ...options, gate: gateFor(repository), maxInputSizeBytes: await maxInputSizeBytes(platform) }
  await repository.receivePack(gated, call.session.stdin, call.session.stdout).finally(finish)
  return 0
}

const archive: SshCommand = async (platform, call) => {
  const { access, repository, options } = await openTransfer(platform, call, 'git-upload-pack')
  const snapshot = await refsOf(platform, access.row)
  // Branches and tags only, as in a clone: internal refs are not readable by name.
  const offers = async (revision: string) =>
    revision === 'HEAD' ||
    snapshot.branch(revision.replace(/^refs\/heads\//, '')) !== null ||
    snapshot.tag(revision.replace(/^refs\/tags\//, '')) !== null
  const { signal, caller } = options
  const { stdin, stdout } = call.session
  return (await repository.uploadArchive({ offers, signal, caller }, stdin, stdout)).exitCode
}

/** The commands that clients may run, by name. */
export const commands: ReadonlyMap<string, SshCommand> = new Map([
  ['git-upload-pack', fetch],
  ['git-receive-pack', push],
  ['git-upload-archive', archive],
  ['git-lfs-authenticate', (platform, call) => platform.ports['ssh.lfs_authenticate'](platform, call)],
])
