import type { Progress } from './backup/index.ts'
import type { Config } from './config.ts'
import { systemClock } from './infra/clock/index.ts'
import { openDatabase } from './infra/database/index.ts'
import { openGit } from './infra/git/index.ts'
import { type ObjectStore, openObjects } from './infra/objects/index.ts'
import { migrations } from './migrations/index.ts'
import { modules } from './modules.ts'
import {
  countRepositories,
  repositoryProblems,
  strayRepositories,
  unsettledIntents,
} from './platform/repositories/index.ts'

/** The objects, of which is shown how many were looked at. */
async function shownIn(objects: ObjectStore, progress: Progress): Promise<ObjectStore> {
  let total = 0
  for await (const _ of objects.list()) total += 1
  await progress.step('rows and objects', total, 'items')
  return {
    ...objects,
    async head(key) {
      progress.advance(1)
      return objects.head(key)
    },
  }
}

/**
 * Compares everything that is stored with itself: the database with its constraints, every repository with git's own check, rows
 * with what they refer to (design §4).
 * @returns one sentence for each problem
 */
export async function checkInstallation(config: Config, progress: Progress): Promise<string[]> {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await openDatabase({ url: config.databaseUrl, migrations }), (one) => one.close())
  const git = opened.use(await openGit({ storages: config.storages }))
  const objects = await openObjects({ location: config.objectsUrl, clock: systemClock })
  const stored = { database, git, objects, clock: systemClock }
  await progress.step('database')
  const problems = await database.integrityProblems()
  // It has copies only, which it compares with the primary while it runs.
  if (config.geo.role === 'secondary') return problems
  const shown = { ...stored, objects: await shownIn(objects, progress) }
  for (const check of modules.flatMap(({ checks = [] }) => checks)) {
    for await (const problem of check(shown)) problems.push(problem)
  }
  const refChecks = modules.flatMap((module) => module.refChecks ?? [])
  await progress.step('repositories', await countRepositories(database.read), 'items')
  for await (const problem of repositoryProblems(stored, refChecks, () => progress.advance(1))) problems.push(problem)
  return [
    ...problems,
    ...(await strayRepositories(database, git, Object.keys(config.storages))),
    ...(await unsettledIntents(database, systemClock.now())),
  ]
}
