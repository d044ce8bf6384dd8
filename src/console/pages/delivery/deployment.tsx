import {
  deploymentsApprove,
  deploymentsDelete,
  deploymentsGet,
  deploymentsMergeRequests,
  jobsPlay,
  jobsRetry,
} from '../../operations.ts'
import { numberIn, page } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { pathOfUrl } from '../../parts/discussion/index.ts'
import { Do } from '../../parts/form.tsx'
import { Empty, Pages, Status, Title } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Approvals, readAnswers } from './approvals.tsx'
import { readDeployAgain, readLive } from './environment.tsx'
import { at, crumb, Facts } from './parts.tsx'

/** A deployment with the merge requests that it has shipped. */
export const deployment = page({
  at: 'project',
  path: 'environments/:environment/deployments/:deployment',
  performs: [deploymentsApprove, deploymentsDelete, jobsPlay, jobsRetry],
  async show(visit) {
    const call = { id: visit.project.id, deployment_id: numberIn(visit, 'deployment') }
    const one = await visit.read(deploymentsGet, call)
    const [name, address] = [one.environment?.name ?? '', at(visit, `/${one.environment?.id}`)]
    const [shipped, live, mayDelete, answers] = await Promise.all([
      visit.read(deploymentsMergeRequests, { ...call, page: visit.number }),
      readLive(visit, name),
      visit.may(deploymentsDelete, call),
      readAnswers(visit, call),
    ])
    const isLeft = one.status !== 'running' && live?.id !== one.id
    return {
      title: `Deployment #${one.iid}`,
      crumbs: [crumb(visit), [name, address]],
      actions: (
        <>
          {await readDeployAgain(visit, one, live)}
          {mayDelete && isLeft && (
            <Confirm label="Delete" question="Delete the record of this deployment? Nothing changes where it runs.">
              <Do
                visit={{ ...visit, refused: null }}
                performs={deploymentsDelete}
                call={call}
                then={address}
                kind="danger"
              >
                Delete the deployment
              </Do>
            </Confirm>
          )}
        </>
      ),
      body: (
        <div class="derived">
          <Refusal visit={visit} except={answers.rejects ? deploymentsApprove : undefined} />
          <Status status={one.status} />
          <Facts visit={visit} of={one} />
          <Approvals visit={visit} one={one} call={call} answers={answers} />
          <h2>Merge requests</h2>
          {shipped.items.length === 0 && <Empty title="It has shipped no merge request." />}
          <ul class="rows">
            {shipped.items.map(({ iid, title, web_url }) => (
              <li>
                <a class="grow" href={pathOfUrl(web_url)}>
                  !{iid} <Title text={title} />
                </a>
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={shipped} />
        </div>
      ),
    }
  },
})
