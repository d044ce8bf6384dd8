import { refName, zeroOid } from '../../../infra/git/index.ts'
import type { Job } from '../../../platform/index.ts'
import { openRow, outsideGate, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { slugsAmong } from './store.ts'

/** Refs that are removed with one change. */
const batchSize = 1000

/** Removes the refs of the deployments of an environment that was deleted (contract 24, x.environments_delete). */
export const removeRefsJob: Job<{ projectId: number; slug: string }> = {
  kind: 'environments.remove_refs',
  async run(platform, { projectId, slug }) {
    const { read } = platform.database
    // Another environment may have the slug by now.
    if ((await slugsAmong(read, projectId, [slug])).size > 0) return
    const row = await repositoryOfProject(read, projectId)
    if (!row) return
    const repository = await openRow(platform, row)
    const prefix = `refs/environments/${slug}/`
    const lines = (await repository.allRefs()).toString().split('\n')
    const names = lines.map((line) => line.slice(line.indexOf(' ') + 1)).filter((name) => name.startsWith(prefix))
    for (let index = 0; index < names.length; index += batchSize) {
      const updates = names.slice(index, index + batchSize).flatMap((name) => {
        const ref = refName(name)
        return ref ? [{ ref, old: null, new: zeroOid(row.object_format) }] : []
      })
      await outsideGate(platform, row, () => repository.updateRefs(updates))
    }
  },
}
