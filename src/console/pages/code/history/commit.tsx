import { type CommitObject, commitsDiff, commitsGet, commitsRefs, commitsSignature } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { diffs } from '../../../parts/diff/index.ts'
import { Avatar, Copy, Icon, Status, Time, withQuery } from '../../../parts/parts.tsx'
import { readDeployed } from '../../delivery/parts.tsx'
import { at, atPath } from '../places.ts'

/** What is said of a signature. */
const signatures: Readonly<Record<string, string>> = {
  verified: 'Verified signature',
  other_user: 'Signed by another user',
  unknown_key: 'Signed with an unknown key',
}

function Head({ visit, commit, signature }: { visit: Visit; commit: CommitObject; signature: string | undefined }) {
  const body = commit.message.slice(commit.title.length).trim()
  const { stats, last_pipeline: pipeline } = commit
  return (
    <div class="panel commit-head">
      <p>
        <Avatar name={commit.author_name} /> <b>{commit.author_name}</b>{' '}
        <span class="soft">
          <Time at={commit.authored_date} />
          {commit.committer_name !== commit.author_name && ` · committed by ${commit.committer_name}`}
        </span>
        {signature && (
          <span class={signature === 'verified' ? 'tagged good' : 'tagged'}>
            <Icon name="lock" />
            {signatures[signature] ?? 'Signature not verified'}
          </span>
        )}
        {pipeline && <Status status={pipeline.status} href={at(visit, `pipelines/${pipeline.id}`)} />}
      </p>
      {body && (
        <pre class="message" tabindex={0}>
          {body}
        </pre>
      )}
      <p class="meta">
        <Copy text={commit.id} label="Id of the commit" />
        {commit.parent_ids.map((parent) => (
          <span>
            parent{' '}
            <a class="sha" href={at(visit, `commit/${parent}`)}>
              {parent.slice(0, 8)}
            </a>
          </span>
        ))}
        <span>
          <span class="plus">+{stats?.additions ?? 0}</span> <span class="minus">−{stats?.deletions ?? 0}</span>
        </span>
        <a href={withQuery(visit.path, { refs: 1 })}>Branches and tags with it</a>
      </p>
    </div>
  )
}

/** The refs that contain the commit, when they are asked for: finding them reads the history of each. */
async function containingRefs(visit: Visit, sha: string) {
  if (visit.query.refs === undefined) return null
  const found = await visit.read(commitsRefs, { id: visit.project.id, sha, per_page: 100 })
  return (
    <p class="refs-of">
      {found.items.map(({ type, name }) => (
        <a class="label" href={type === 'tag' ? atPath(visit, 'tags', name) : atPath(visit, 'tree', name)}>
          <Icon name={type === 'tag' ? 'tag' : 'branch'} label={type === 'tag' ? 'Tag' : 'Branch'} />
          {name}
        </a>
      ))}
      {found.items.length === 0 && <span class="soft">No branch or tag contains it.</span>}
      {found.hasNext && <span class="soft">and more</span>}
    </p>
  )
}

/** The files of a page of the diff, in hundreds. */
const filesOfPage = 100

/** A commit with its changes. */
export const commit = page({
  at: 'project',
  path: 'commit/:sha',
  under: 'commits',
  async show(visit) {
    const { id } = visit.project
    const shown = await visit.read(commitsGet, { id, sha: visit.params.sha ?? '' })
    const sha = shown.id
    const hundred = Number(/^[1-9]\d{0,5}$/.exec(visit.query.files ?? '')?.[0] ?? 1)
    const [diff, signature, refs, deployed] = await Promise.all([
      visit.read(commitsDiff, { id, sha, per_page: filesOfPage, page: hundred }),
      visit.find(commitsSignature, { id, sha }),
      containingRefs(visit, sha),
      readDeployed(visit, { sha, status: 'success' }),
    ])
    const isSplit = visit.query.view === 'split'
    const changes = await diffs({ files: diff.items, path: visit.path, number: visit.number, isSplit })
    const other = (files: number) => withQuery(visit.path, { files: files === 1 ? null : files, page: null })
    return {
      title: shown.title || 'No message',
      crumbs: [['Commits', at(visit, 'commits')]],
      actions: (
        <a class="button" href={atPath(visit, 'tree', sha)}>
          Browse files
        </a>
      ),
      body: (
        <div>
          <Head visit={visit} commit={shown} signature={signature?.verification_status} />
          {deployed}
          {refs}
          {changes}
          {(hundred > 1 || diff.hasNext) && (
            <nav class="pages" aria-label="Files">
              {hundred > 1 && <a href={other(hundred - 1)}>Files before</a>}
              {diff.hasNext && <a href={other(hundred + 1)}>More files</a>}
            </nav>
          )}
        </div>
      ),
    }
  },
})
