import type { Config } from './config.ts'
import { systemClock } from './infra/clock/index.ts'
import { openDatabase } from './infra/database/index.ts'
import { openGit } from './infra/git/index.ts'
import { openObjects } from './infra/objects/index.ts'
import { migrations } from './migrations/index.ts'
import { modules } from './modules.ts'
import { repositoryProblems, strayRepositories, unsettledIntents } from './platform/repositories/index.ts'

/**
 * Compares everything that is stored with itself: the database with its constraints, every repository with git's own check, rows
 * with what they refer to (design §4).
 * @param report receives a line of progress now and then
 * @returns one sentence for each problem
 */
export async function checkInstallation(config: Config, report: (line: string) => void): Promise<string[]> {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await openDatabase({ url: config.databaseUrl, migrations }), (one) => one.close())
  const git = opened.use(await openGit({ storages: config.storages }))
  const objects = await openObjects({ location: config.objectsUrl, clock: systemClock })
  const stored = { database, git, objects, clock: systemClock }
  report('checking the database')
  const problems = await database.integrityProblems()
  // It has copies only, which it compares with the primary while it runs.
  if (config.geo.role === 'secondary') return problems
  for (const check of modules.flatMap(({ checks = [] }) => checks)) {
    for await (const problem of check(stored)) problems.push(problem)
  }
  const refChecks = modules.flatMap((module) => module.refChecks ?? [])
  for await (const problem of repositoryProblems(stored, refChecks, report)) problems.push(problem)
  return [
    ...problems,
    ...(await strayRepositories(database, git, Object.keys(config.storages))),
    ...(await unsettledIntents(database, systemClock.now())),
  ]
}
