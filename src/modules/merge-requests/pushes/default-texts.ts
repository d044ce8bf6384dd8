import type { Oid, Repository } from '../../../infra/git/index.ts'

const longestTitle = 255

/** A branch as a title: `fix-the_name` is `Fix the name`. */
function titleOfBranch(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

const firstCharacters = (text: string) => [...text].slice(0, longestTitle).join('')

/**
 * The title and the description of a merge request for which a push gives none: those of its only commit, else the name of the
 * branch (contract 22 R6).
 */
export async function textsOf(
  repository: Repository,
  { name, head, target }: { name: string; head: Oid; target: Oid | null },
): Promise<{ title: string; description: string }> {
  const oids = await repository.log({ tips: [head], excluded: target === null ? [] : [target], limit: 2 })
  const [oid] = oids.length === 1 ? oids : []
  const commit = oid && (await repository.commits([oid])).get(oid)
  if (!commit || commit.title.trim() === '') return { title: firstCharacters(titleOfBranch(name)), description: '' }
  return {
    title: firstCharacters(commit.title),
    description: commit.message.trimStart().slice(commit.title.length).trim(),
  }
}
