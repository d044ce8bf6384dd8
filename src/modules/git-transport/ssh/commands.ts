import { callerOf } from '../../../infra/git/index.ts'
import type { SshSession } from '../../../infra/ssh/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, refsOf } from '../../../platform/repositories/index.ts'
import { admit, type GitAccess, type GitService } from '../access/admission.ts'
import { type GitCaller, nameOf } from '../access/callers.ts'
import { sentenceOf, sentences } from '../access/refusals.ts'
import { maxInputSizeBytes, pushGateOf } from '../push-gate.ts'
import { projectPathOf } from './command-line.ts'
import type { SshIdentity } from './identity.ts'

/** A command that a client has sent. */
export type SshCall = {
  operands: readonly string[]
  caller: GitCaller
  session: SshSession<SshIdentity>
}

/** Runs a command and returns its exit code. @throws SshRefusal */
export type SshCommand = (platform: Platform, call: SshCall) => Promise<number>

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
  const path = projectPathOf(operand ?? '')
  if (path === null) throw new SshRefusal(sentences.notFound)
  const access = await admit(platform, path, caller, service)
  if ('kind' in access) throw new SshRefusal(sentenceOf(access))
  return access
}

/** The name under which the transfers of a call are counted. */
const transferName = ({ caller, session }: SshCall) => callerOf(nameOf(caller), session.address)

const fetch: SshCommand = async (platform, call) => {
  const { operands, caller, session } = call
  const { row } = await openOperand(platform, caller, operands[0], 'git-upload-pack')
  const repository = await openRow(platform, row)
  const { gitProtocol: protocol, signal, stdin, stdout } = session
  const options = { stateless: false, protocol, signal, caller: transferName(call) }
  return (await repository.uploadPack(options, stdin, stdout)).exitCode
}

const push: SshCommand = async (platform, call) => {
  const { operands, caller, session } = call
  const access = await openOperand(platform, caller, operands[0], 'git-receive-pack')
  const repository = await openRow(platform, access.row)
  const remoteUrl = (fullPath: string) => `${platform.sshPrefix}${fullPath}.git`
  const { gateFor, finish } = pushGateOf(platform, access, caller, remoteUrl)
  const { gitProtocol: protocol, signal, stdin, stdout } = session
  const transfer = { stateless: false, protocol, signal, caller: transferName(call) }
  const options = { ...transfer, gate: gateFor(repository), maxInputSizeBytes: await maxInputSizeBytes(platform) }
  await repository.receivePack(options, stdin, stdout).finally(finish)
  return 0
}

const archive: SshCommand = async (platform, call) => {
  const { operands, caller, session } = call
  const { row } = await openOperand(platform, caller, operands[0], 'git-upload-pack')
  const repository = await openRow(platform, row)
  const snapshot = await refsOf(platform, row)
  // Branches and tags only, as in a clone: internal refs are not readable by name.
  const offers = async (revision: string) =>
    revision === 'HEAD' ||
    snapshot.branch(revision.replace(/^refs\/heads\//, '')) !== null ||
    snapshot.tag(revision.replace(/^refs\/tags\//, '')) !== null
  const { signal, stdin, stdout } = session
  return (await repository.uploadArchive({ offers, signal, caller: transferName(call) }, stdin, stdout)).exitCode
}

/** The commands that clients may run, by name. */
export const commands: ReadonlyMap<string, SshCommand> = new Map([
  ['git-upload-pack', fetch],
  ['git-receive-pack', push],
  ['git-upload-archive', archive],
  ['git-lfs-authenticate', (platform, call) => platform.ports['ssh.lfs_authenticate'](platform, call)],
])
