import type { Oid, Repository } from '../../../infra/git/index.ts'

/** In larger directories no readme is looked for. */
const largestTreeBytes = 4 * 1024 * 1024

const readmeName = /^readme(?:\.[\w.-]{1,40})?$/i
const markdown = /\.(?:md|markdown|mdown|mkdn?)$/i

/** Names of the files in a tree object: a sequence of `<mode> <name>\0<id>`. */
function fileNames(tree: Buffer, idBytes: number): string[] {
  const names: string[] = []
  let at = 0
  while (at < tree.length) {
    const blank = tree.indexOf(0x20, at)
    const end = tree.indexOf(0, blank)
    if (blank < 0 || end < 0) break
    if (tree.toString('latin1', at, blank).startsWith('100')) names.push(tree.toString('utf8', blank + 1, end))
    at = end + 1 + idBytes
  }
  return names
}

/** The readme in Markdown, else the first one. */
export function chooseReadme(names: readonly string[]): string | null {
  const readmes = names.filter((name) => readmeName.test(name))
  return readmes.find((name) => markdown.test(name)) ?? readmes[0] ?? null
}

/** The path of the readme in the top directory of a commit; null when there is none. */
export async function findReadme(repository: Repository, commitOid: Oid): Promise<string | null> {
  const commit = (await repository.commits([commitOid])).get(commitOid)
  const info = commit ? await repository.object(commit.treeOid) : null
  if (!commit || !info || info.sizeBytes > largestTreeBytes) return null
  const tree = await repository.readObject(commit.treeOid, { maxBytes: largestTreeBytes })
  return tree ? chooseReadme(fileNames(tree.content, commitOid.length / 2)) : null
}
