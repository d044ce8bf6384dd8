/** Finds the branches and tags whose history contains a commit. */

import { type Oid, parseOid, type RefName } from '../model/names.ts'
import { linesOf, type RepositoryContext } from '../objects/context.ts'
import type { Command } from '../process/command.ts'
import { recordsOf } from '../process/output.ts'

const NEWLINE = 0x0a

/** A ref, and the commit that it points at (or another object, which has no history). */
type Tip = { name: string; oid: Oid }

/**
 * Lists the short names of branches or tags whose history contains the commit, sorted by bytes. Walks the history once for all
 * refs; `--contains` would walk it once per ref.
 * @throws GitError `object_missing`
 */
export async function refsContaining(
  context: RepositoryContext,
  commit: Oid,
  kind: 'branch' | 'tag',
): Promise<string[]> {
  const tips = await (kind === 'branch' ? branches(context) : tags(context))
  const wanted = new Set(tips.map(({ oid }) => oid))
  const command: Command = {
    subcommand: 'rev-list',
    flags: ['--ancestry-path', '--stdin'],
    directory: context.directory,
  }
  const input = linesOf([...wanted, `^${commit}`])
  // A commit is not its own descendant.
  const found = new Set<string>([commit])
  for await (const line of recordsOf(context.runner, command, NEWLINE, { input })) {
    const oid = line.toString('latin1')
    if (wanted.has(oid as Oid)) found.add(oid)
  }
  return tips.filter(({ oid }) => found.has(oid)).map(({ name }) => name)
}

async function branches(context: RepositoryContext): Promise<Tip[]> {
  const tips: Tip[] = []
  for await (const [oid, name] of refsBelow(context, 'refs/heads', '%(objectname)')) {
    tips.push({ name, oid: oid as Oid })
  }
  return tips
}

async function tags(context: RepositoryContext): Promise<Tip[]> {
  const reader = context.pool.reader(context.directory)
  const tips: (Tip | Promise<Tip>)[] = []
  const format = '%(objectname):%(*objectname):%(*objecttype)'
  for await (const [fields, name] of refsBelow(context, 'refs/tags', format)) {
    const [id = '', peeledId = '', peeledType] = fields.split(':')
    const oid = parseOid(peeledId) ?? (id as Oid)
    // Some versions of git follow only one tag.
    if (peeledType !== 'tag') tips.push({ name, oid })
    else tips.push(reader.peeled(oid).then((peeled) => ({ name, oid: peeled?.oid ?? oid })))
  }
  return Promise.all(tips)
}

/** Lists refs, sorted by bytes: the output of `format`, which must not contain spaces, and the short name. */
async function* refsBelow(
  { runner, directory }: RepositoryContext,
  prefix: 'refs/heads' | 'refs/tags',
  format: string,
): AsyncGenerator<[text: string, name: string]> {
  const flags = [`--format=${format} %(refname)`] as const
  const command: Command = { subcommand: 'for-each-ref', flags, operands: [prefix as RefName], directory }
  for await (const line of recordsOf(runner, command, NEWLINE)) {
    const space = line.indexOf(' ')
    const nameStart = space + 1 + prefix.length + 1
    const name = line.toString('utf8', nameStart)
    // Names that are not UTF-8 cannot be requested; snapshots leave them out as well.
    const isReadable = !name.includes('\ufffd') || Buffer.from(name).equals(line.subarray(nameStart))
    if (isReadable) yield [line.toString('latin1', 0, space), name]
  }
}
