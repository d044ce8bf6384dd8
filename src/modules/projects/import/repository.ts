import { BadLine, type Importing, type Platform } from '../../../platform/index.ts'
import { deferWhileAway, importBundle, openRow, repositoryOfProject } from '../../../platform/repositories/index.ts'
import { projectById } from '../core/store.ts'
import { publishFetched } from '../imports/imports.ts'

/**
 * Brings a bundle into the repository of a project (contract 14, repository).
 * @param place the path of the bundle on disk
 * @param defaultBranch that of the other server, where its files say
 * @throws BundleRefused, GitError
 */
export async function importRepository(
  platform: Platform,
  { id, signal }: Importing,
  place: string,
  defaultBranch: string | null,
): Promise<void> {
  const { read } = platform.database
  const [project, row] = [await projectById(read, id), await repositoryOfProject(read, id)]
  if (!project || !row) throw new BadLine('the project does not exist any more')
  await deferWhileAway(platform, row.storage)
  const repository = await openRow(platform, row)
  await importBundle(repository, place, signal)
  await publishFetched(platform, project, row, repository, { wanted: [defaultBranch], isOver: false })
}
