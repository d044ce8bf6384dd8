import { isZeroOid, type Oid, type Repository, tagName } from '../../../infra/git/index.ts'
import type { RefListener } from '../../../platform/index.ts'
import { deleteReleasesOnTags, lockReleases, moveReleases } from './store.ts'

/** The maximal depth of tags of tags. */
const deepest = 10

/** The commits that objects lead to through tag objects. Objects that lead to no commit are absent. */
async function commitsBehind(repository: Repository, oids: readonly Oid[]): Promise<Map<Oid, Oid>> {
  const found = new Map<Oid, Oid>()
  let at = new Map(oids.map((oid) => [oid, oid]))
  for (let depth = 0; depth <= deepest && at.size > 0; depth += 1) {
    const commits = await repository.commits([...at.values()])
    for (const [oid, reached] of at) if (commits.has(reached)) found.set(oid, reached)
    const rest = [...at].filter(([oid]) => !found.has(oid))
    const objects = await repository.tagObjects(rest.map(([, reached]) => reached))
    at = new Map(
      rest.flatMap(([oid, reached]): [Oid, Oid][] => {
        const target = objects.get(reached)?.target
        return target ? [[oid, target]] : []
      }),
    )
  }
  return found
}

/** Deletes the releases of deleted tags, and updates the commits of moved ones. */
export const releaseListener: RefListener = {
  async prepare(_platform, { row, repository, changes }) {
    const { project_id: projectId, kind } = row
    const ofTags = changes.flatMap((change) => {
      const tag = tagName(change.ref)
      return tag === null ? [] : [{ ...change, tag }]
    })
    if (projectId === null || kind !== 'project' || ofTags.length === 0) return async () => {}
    const deleted = ofTags.filter((change) => isZeroOid(change.new)).map(({ tag }) => tag)
    const moved = ofTags.filter((change) => !isZeroOid(change.new) && !isZeroOid(change.old))
    const heads = moved.map((change) => change.new)
    const commits = await commitsBehind(repository, heads)
    return async (tx) => {
      if (deleted.length + moved.length === 0) return
      await lockReleases(tx, projectId)
      if (deleted.length > 0) await deleteReleasesOnTags(tx, projectId, deleted)
      const targets = moved.map((change) => ({ tag: change.tag, sha: commits.get(change.new) ?? null }))
      await moveReleases(tx, projectId, targets)
    }
  },
}
