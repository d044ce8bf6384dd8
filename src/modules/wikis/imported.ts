import { branchRef } from '../../infra/git/index.ts'
import { BadLine, type Importing, type Platform, react } from '../../platform/index.ts'
import { importBundle, openRow, raiseGeneration } from '../../platform/repositories/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { projectById } from '../projects/index.ts'
import { ensureWiki, type WikiOwner } from './repository/repository.ts'

async function ownerOf({ database: { read } }: Platform, { kind, id }: Importing): Promise<WikiOwner> {
  const project = kind === 'project' ? await projectById(read, id) : null
  const group = kind === 'group' ? await namespaceById(read, id) : null
  if (project) return { project }
  if (group) return { group }
  throw new BadLine(`the ${kind} does not exist any more`)
}

/**
 * Brings a bundle into the wiki of a project or group (contract 25, Archive of a project).
 * @param place the path of the bundle on disk
 * @throws BundleRefused, GitError
 */
export async function importWiki(platform: Platform, into: Importing, place: string): Promise<void> {
  const row = await ensureWiki(platform, await ownerOf(platform, into))
  const repository = await openRow(platform, row)
  await importBundle(repository, place, into.signal)
  const { branches } = await repository.refs(`import-wiki-${row.id}`)
  const branch = branches.find(({ name }) => name === 'main' || name === 'master') ?? branches[0]
  const head = branch && branchRef(branch.name)
  if (head) await repository.setHead(head)
  await platform.database.write(async (tx) => {
    await react(platform, tx, 'repository.changed', { repositoryId: row.id })
    await raiseGeneration(tx, row.id)
  })
}
