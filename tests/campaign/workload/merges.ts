import { commit } from './branches.ts'
import { ask, bodyAt, change, type Load, type Piece, project, readEach } from './load.ts'

const target = 'main'
const pathOf = (name: string) => `${project}/merge_requests/${name.split(':')[1]}`

/** Whether a branch contains the commit of a merge. */
async function isContained(load: Load, sha: string, branch: string): Promise<boolean> {
  const refs = await bodyAt(load, `${project}/repository/commits/${sha}/refs?type=branch&per_page=100`)
  return refs?.some(({ name }: { name: string }) => name === branch) ?? false
}

/** Opens merge requests and merges them. A merged one must have its commit on the target. */
export const merges: Piece = {
  title: 'merge',
  kinds: ['merge'],
  clients: 1,
  async prepare(load) {
    const body = { branch: 'merged', ref: target }
    const { body: made } = await ask(load, (client) => client.post(`${project}/repository/branches`, body))
    load.ledger.acknowledge('branch:merged', made.commit.id)
  },
  async step(load, _client, step) {
    const source = `feature-${step}`
    await commit(load, source, `features/${step}`, step)
    const wanted = { source_branch: source, target_branch: 'merged', title: step }
    const { body } = await ask(load, (client) => client.post(`${project}/merge_requests`, wanted))
    const name = `merge:${body.iid}`
    load.ledger.acknowledge(name, 'opened')
    // The merge moves the target, too; and it does not move before the last merge has been answered.
    load.ledger.begin('branch:merged', 'any')
    load.ledger.begin(`branch:${source}`, null)
    const options = { should_remove_source_branch: true }
    const merged = await change(load, name, 'merged', (client) => client.put(`${pathOf(name)}/merge`, options))
    load.ledger.acknowledge(`branch:${source}`, null)
    load.ledger.acknowledge('branch:merged', merged.body.merge_commit_sha)
  },
  read: (load, names) =>
    readEach(names, async (name) => {
      const body = await bodyAt(load, pathOf(name))
      if (body?.state !== 'merged') return body?.state ?? null
      return (await isContained(load, body.merge_commit_sha, 'merged')) ? 'merged' : 'merged without its commit'
    }),
}
