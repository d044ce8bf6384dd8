import { type RefName, type TreePath, treePath, zeroOid } from '../../infra/git/index.ts'
import type { Platform } from '../platform.ts'
import { changeRefs } from './gate/gate.ts'
import type { RefWriter } from './gate/writer.ts'
import { openRow } from './on-disk.ts'
import type { RepositoryRow } from './tables.ts'

type FirstCommit = {
  row: RepositoryRow
  branch: RefName
  author: { name: string; email: string }
  message: string
  /** Content of `README.md`. */
  readme: string
  writer: RefWriter
}

/** Creates the first commit of an empty repository: a `README.md` on the future default branch. @throws as `changeRefs` */
export async function makeFirstCommit(platform: Platform, commit: FirstCommit): Promise<void> {
  const { row, branch, author, message, readme, writer } = commit
  const repository = await openRow(platform, row, branch)
  const person = {
    ...author,
    date: platform.clock
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, '.000Z'),
  }
  await repository.withIncoming(async (incoming) => {
    const oid = await incoming.createCommit({
      parent: null,
      author: person,
      committer: person,
      message,
      changes: [{ path: treePath('README.md') as TreePath, content: Buffer.from(readme) }],
    })
    const change = { ref: branch, old: zeroOid(row.object_format), new: oid }
    await changeRefs(platform, row, [change], writer, incoming)
  })
}
