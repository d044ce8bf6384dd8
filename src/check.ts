import type { Config } from './config.ts'
import { systemClock } from './infra/clock/index.ts'
import { type Database, openDatabase } from './infra/database/index.ts'
import { diskPath, type Git, openGit, type Repository } from './infra/git/index.ts'
import { type ObjectStore, openObjects } from './infra/objects/index.ts'
import { groupsWithAvatar } from './modules/groups/index.ts'
import { lfsProblems } from './modules/lfs/index.ts'
import { projectById, projectsWithAvatar } from './modules/projects/index.ts'
import { releaseProblems } from './modules/releases/index.ts'
import { type AvatarOwner, avatarExists, usersWithAvatar } from './modules/users/index.ts'
import {
  type RepositoryRow,
  repositoriesAfter,
  strayRepositories,
  unsettledIntents,
} from './platform/repositories/index.ts'
import { migrations } from './schema/index.ts'

/** The default branch that a project's row names is there, unless there are no branches at all, and so are the tags of its releases. */
async function refProblems(database: Database, row: RepositoryRow, repository: Repository): Promise<string[]> {
  const project =
    row.project_id === null || row.kind !== 'project' ? null : await projectById(database.read, row.project_id)
  if (!project) return []
  const refs = await repository.refs(row.generation)
  const problems = await releaseProblems(database.read, project, refs)
  const { default_branch: name } = project
  if (name === null || refs.branches.length === 0 || refs.branch(name)) return problems
  return [`project ${project.id}: its default branch ${name} does not exist`, ...problems]
}

/** One repository against its row: it is there, git finds it sound, and its refs are what the project's row says. */
async function repositoryProblems(database: Database, git: Git, row: RepositoryRow): Promise<string[]> {
  const name = `repository ${row.id} (${row.storage}:${row.disk_path})`
  const path = diskPath(row.disk_path)
  if (path === null) return [`${name} has no legal path`]
  const repository = git.repository({ storage: row.storage, diskPath: path })
  // Its row was written, and its files were not yet.
  if (row.generation === 0 && !(await repository.exists())) return []
  if (!(await repository.exists())) return [`${name} is missing on disk`]
  const { problems } = await repository.fsck()
  const sound = problems.map((problem) => `${name}: ${problem}`)
  return [...sound, ...(await refProblems(database, row, repository))]
}

async function allRepositories(database: Database, git: Git, tell: (line: string) => void): Promise<string[]> {
  const problems: string[] = []
  let last = 0
  for (;;) {
    const rows = await repositoriesAfter(database.read, last, 100)
    for (const row of rows) problems.push(...(await repositoryProblems(database, git, row)))
    const end = rows.at(-1)
    if (!end) return problems
    last = end.id
    tell(`checked repositories up to ${last}`)
  }
}

const avatarRows = { user: usersWithAvatar, group: groupsWithAvatar, project: projectsWithAvatar } as const

/** Every picture that a row names is stored. */
async function avatarProblems(database: Database, objects: ObjectStore): Promise<string[]> {
  const problems: string[] = []
  for (const [owner, rowsOf] of Object.entries(avatarRows) as [AvatarOwner, typeof usersWithAvatar][]) {
    for (const { id, avatar } of await rowsOf(database.read)) {
      if (avatar !== null && !(await avatarExists({ objects }, owner, id, avatar)))
        problems.push(`${owner} ${id}: its avatar is missing`)
    }
  }
  return problems
}

/**
 * Compares everything that is stored with itself: the database with its own rules, every repository with git's, and rows
 * with what they stand for (design §4).
 * @param tell gets a line now and then, for whoever waits
 * @returns what is wrong, one sentence each
 */
export async function checkInstallation(config: Config, tell: (line: string) => void): Promise<string[]> {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await openDatabase({ url: config.databaseUrl, migrations }), (one) => one.close())
  const git = opened.use(await openGit({ storages: config.storages }))
  tell('checking the database')
  const objects = await openObjects({ location: config.objectsUrl, clock: systemClock })
  return [
    ...(await database.integrityProblems()),
    ...(await avatarProblems(database, objects)),
    ...(await lfsProblems(database, objects)),
    ...(await allRepositories(database, git, tell)),
    ...(await strayRepositories(database, git, Object.keys(config.storages))),
    ...(await unsettledIntents(database, systemClock.now())),
  ]
}
