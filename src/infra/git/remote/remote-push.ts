/** Pushes to remote repositories, for mirrors. */

import { GitError } from '../model/errors.ts'
import { isZeroOid, type RefName, refName } from '../model/names.ts'
import type { PushedRef, PushOutcome, RefRejection, RemoteOptions } from '../model/types.ts'
import type { RepositoryContext } from '../objects/context.ts'
import type { Operand } from '../process/command.ts'
import { failure } from '../process/runner.ts'
import { remoteCommand } from './fetch.ts'

/** The maximal number of refs per push, which bounds the argument list. */
const refsPerPush = 500

/** Refs are independent: a refused one does not stop the others. */
const flags = ['--porcelain', '--no-progress', '--no-verify', '--no-follow-tags', '--recurse-submodules=no'] as const

/**
 * Pushes refs, many of them in several portions, in the given order. The outcome lists refused refs; throws when the remote
 * cannot be reached or denies access.
 * @throws GitError `invalid_input` for another protocol; `timeout`; `command_failed`
 */
export async function pushTo(
  context: RepositoryContext,
  address: string,
  refs: readonly PushedRef[],
  options: RemoteOptions,
): Promise<PushOutcome> {
  const rejected: RefRejection[] = []
  const messages: string[] = []
  for (let from = 0; from < refs.length; from += refsPerPush) {
    const outcome = await pushPortion(context, address, refs.slice(from, from + refsPerPush), options)
    rejected.push(...outcome.rejected)
    messages.push(...outcome.messages)
  }
  return { rejected, messages }
}

async function pushPortion(
  { runner, directory }: RepositoryContext,
  address: string,
  refs: readonly PushedRef[],
  options: RemoteOptions,
): Promise<PushOutcome> {
  const { timeoutMs, signal } = options
  const allFlags = [...flags, ...refs.flatMap(lease)]
  const command = remoteCommand('push', directory, address, options, allFlags, refs.map(refspec))
  // Exit code 1 means that refs were refused, if at least one ref is listed.
  const exit = await runner.run(command, { queue: 'transfer', expectedExitCodes: [0, 1], timeoutMs, signal })
  const statuses = exit.stdout.toString('utf8').split('\n').flatMap(statusOf)
  if (exit.exitCode !== 0 && !statuses.some(({ flag }) => flag === '!')) throw failure(command, exit)
  return {
    rejected: statuses.flatMap(({ flag, ref, summary }) => (flag === '!' ? [{ ref, ...reasonIn(summary) }] : [])),
    messages: [...exit.stderr.matchAll(/^remote: ?(.*)$/gm)].map(([, text = '']) => text.trimEnd()),
  }
}

/** A forced ref moves only from its expected id, so that concurrent changes are not lost. */
function lease({ ref, expected }: PushedRef): `-${string}`[] {
  if (expected === undefined) return []
  return [`--force-with-lease=${ref}:${isZeroOid(expected) ? '' : expected}`]
}

function refspec({ ref, oid }: PushedRef): Operand {
  if (refName(ref) === null) throw new GitError('invalid_input', 'illegal ref')
  return `${isZeroOid(oid) ? '' : oid}:${ref}` as Operand
}

type Status = { flag: string; ref: RefName; summary: string }

/** Parses a line of `push --porcelain`: `<flag>\t<from>:<to>\t<summary>`. */
function statusOf(line: string): Status[] {
  const [flag = '', moved = '', summary = ''] = line.split('\t')
  const ref = refName(moved.slice(moved.indexOf(':') + 1))
  return flag.length === 1 && ref ? [{ flag, ref, summary }] : []
}

/** `[rejected] (non-fast-forward)`, `[remote rejected] (pre-receive hook declined)`, … */
function reasonIn(summary: string): Pick<RefRejection, 'kind' | 'reason'> {
  const [, by = '', reason = ''] = /^\[([^\]]*)\] ?(?:\((.*)\))?$/.exec(summary) ?? []
  return { kind: by === 'rejected' ? 'diverged' : 'refused', reason }
}
