import { portions, rows as rowsOf } from '../../../infra/database/index.ts'
import type { Check, Job } from '../../../platform/index.ts'
import { usersPerhapsWithoutProjects } from '../tables.ts'
import { removeRefuted, unrecordedAfter } from './store/without-projects.ts'

/** Records that are compared at once. */
const portion = 1000

/** Forgets the users who were recorded without a project and have one. Until then, the list of users without projects compares them. */
export const forgetUsersWithProjects: Job<null> = {
  kind: 'users.forget_with_projects',
  queue: 'maintenance',
  every: { seconds: 3600 },
  async run({ database }, _, { signal }) {
    for await (const rows of rowsOf(usersPerhapsWithoutProjects).portions(database.read, {}, portion)) {
      signal.throwIfAborted()
      const ids = rows.map(({ id }) => id)
      await database.write((tx) => removeRefuted(tx, ids))
    }
  },
}

/** Finds users without a project who are not recorded, so that the list of these users would lack them. */
export const withoutProjectsCheck: Check = async function* ({ database: { read } }) {
  for await (const rows of portions((afterId) => unrecordedAfter(read, afterId, portion))) {
    for (const { id, is_missing } of rows) {
      if (is_missing) yield `user ${id} has no project, but is not recorded among the users without projects`
    }
  }
}
