import type { Config } from './config.ts'
import { type Database, openDatabase } from './infra/database/index.ts'
import { diskPath, type Git, openGit } from './infra/git/index.ts'
import { type RepositoryRow, repositoriesAfter } from './modules/repositories/index.ts'

/** One repository against its row: it is there, git finds it sound, and its default branch exists if it has any. */
async function repositoryProblems(git: Git, row: RepositoryRow): Promise<string[]> {
  const name = `repository ${row.id} (${row.storage}:${row.disk_path})`
  const path = diskPath(row.disk_path)
  if (path === null) return [`${name} has no legal place`]
  if (row.generation === 0) return []
  const repository = git.repository({ storage: row.storage, diskPath: path })
  if (!(await repository.exists())) return [`${name} is missing on disk`]
  const { problems } = await repository.fsck()
  return problems.map((problem) => `${name}: ${problem}`)
}

async function allRepositories(database: Database, git: Git, tell: (line: string) => void): Promise<string[]> {
  const problems: string[] = []
  let last = 0
  for (;;) {
    const rows = await repositoriesAfter(database.read, last, 100)
    for (const row of rows) problems.push(...(await repositoryProblems(git, row)))
    const end = rows.at(-1)
    if (!end) return problems
    last = end.id
    tell(`checked repositories up to ${last}`)
  }
}

/**
 * Compares everything that is stored with itself: the database with its own rules, every repository with git's, and rows
 * with what they stand for (design §4).
 * @param tell gets a line now and then, for whoever waits
 * @returns what is wrong, one sentence each
 */
export async function checkInstallation(config: Config, tell: (line: string) => void): Promise<string[]> {
  const database = await openDatabase({ url: config.databaseUrl })
  const git = await openGit({ storages: config.storages })
  try {
    tell('checking the database')
    return [...(await database.integrityProblems()), ...(await allRepositories(database, git, tell))]
  } finally {
    await git.close()
    await database.close()
  }
}
