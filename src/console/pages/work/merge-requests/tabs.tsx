import { mergeRequestsCommits, mergeRequestsCreatePipeline, mergeRequestsPipelines } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { Empty, Pages, Status, Time } from '../../../parts/parts.tsx'
import { Refusal } from '../../../parts/refusal.tsx'
import { CommitRow } from '../../code/pieces.tsx'
import { at } from '../../code/places.ts'
import { RequestHead, requestCrumbs } from './head.tsx'
import { readRequest } from './read.ts'

/** The commits of a merge request, newest first. */
export const commitsTab = page({
  at: 'project',
  path: 'merge_requests/:iid/commits',
  async show(visit) {
    const of = await readRequest(visit)
    const found = await visit.read(mergeRequestsCommits, { ...of.call, page: visit.number })
    return {
      title: `Commits of ${of.request.title} (${of.request.reference})`,
      isBare: true,
      crumbs: requestCrumbs(visit),
      body: (
        <div>
          <RequestHead visit={visit} of={of} tab="/commits" />
          {found.items.length === 0 && <Empty title="No commits that the target branch has not." />}
          <ul class="rows">
            {found.items.map((commit) => (
              <CommitRow visit={visit} commit={commit} />
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})

/** The pipelines of the commits of a merge request. */
export const pipelinesTab = page({
  at: 'project',
  path: 'merge_requests/:iid/pipelines',
  performs: [mergeRequestsCreatePipeline],
  async show(visit) {
    const of = await readRequest(visit)
    const [found, mayRun] = await Promise.all([
      visit.find(mergeRequestsPipelines, { ...of.call, page: visit.number }),
      of.request.state === 'opened' && visit.may(mergeRequestsCreatePipeline, of.call),
    ])
    const isRunning = found?.items.some(({ status }) => ['created', 'pending', 'running'].includes(status))
    return {
      title: `Pipelines of ${of.request.title} (${of.request.reference})`,
      isBare: true,
      refreshes: isRunning === true,
      crumbs: requestCrumbs(visit),
      body: (
        <div>
          <RequestHead visit={visit} of={of} tab="/pipelines" />
          <Refusal visit={visit} />
          {mayRun && (
            <p>
              <Do visit={visit} performs={mergeRequestsCreatePipeline} call={of.call}>
                Run pipeline
              </Do>
            </p>
          )}
          {!found || found.items.length === 0 ? (
            <Empty title="No pipelines.">
              <p>
                A pipeline runs the jobs of <code>.gitlab-ci.yml</code> when a commit is pushed. One of the merge
                request runs those whose rules ask for it.
              </p>
            </Empty>
          ) : (
            <ul class="rows">
              {found.items.map((pipeline) => (
                <li>
                  <Status status={pipeline.status} href={pathOfUrl(pipeline.web_url)} />
                  <div class="grow">
                    <a class="strong" href={pathOfUrl(pipeline.web_url)}>
                      Pipeline {pipeline.id}
                    </a>
                    <p class="sub">
                      {pipeline.source.replaceAll('_', ' ')} of <code>{pipeline.ref}</code> ·{' '}
                      <Time at={pipeline.created_at} />
                    </p>
                  </div>
                  <a class="sha" href={at(visit, `commit/${pipeline.sha}`)}>
                    {pipeline.sha.slice(0, 8)}
                  </a>
                </li>
              ))}
            </ul>
          )}
          {found && <Pages path={visit.path} page={visit.number} of={found} />}
        </div>
      ),
    }
  },
})
