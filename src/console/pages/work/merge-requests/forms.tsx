import { forbidden } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import {
  branchesList,
  mergeRequestsCreate,
  mergeRequestsDelete,
  mergeRequestsUpdate,
  repositoryCompare,
} from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { MarkdownField } from '../../../parts/writing/index.ts'
import { compareAddress } from '../../code/history/compare.tsx'
import { type Choices, readChoices } from '../choices.ts'
import { Deletion, FormButtons, NewPeople, NewPlans } from '../new-item.tsx'
import { addressIn } from '../places.ts'
import { requestAddress, requestCrumbs } from './head.tsx'
import { requestOperations } from './names.ts'
import { readRequest } from './read.ts'

/** Names of branches to pick from. Other names can be written. */
async function branchNames(visit: Visit): Promise<Html> {
  const found = await visit.find(branchesList, { id: visit.project.id, per_page: 100 })
  return (
    <datalist id="branches">
      {(found?.items ?? []).map(({ name }) => (
        <option value={name}></option>
      ))}
    </datalist>
  )
}

/** The two branches of a new merge request. */
async function branchChooser(visit: Visit, source: string, target: string): Promise<Html> {
  const fields = [
    ['source_branch', 'From', source],
    ['target_branch', 'Into', target],
  ] as const
  return (
    <form class="compare" method="get" action={addressIn(visit, 'merge_requests/new')}>
      {fields.map(([name, label, value]) => (
        <label>
          <span>{label}</span>
          <input name={name} value={value} list="branches" required autocomplete="off" spellcheck="false" />
        </label>
      ))}
      <button class={source === '' ? 'primary' : undefined}>
        {source === '' ? 'Continue' : 'Change the branches'}
      </button>
      {await branchNames(visit)}
    </form>
  )
}

/** What a new merge request brings, and the texts that its form has first: those of its only commit, else the name of the branch. */
async function readProposal(visit: Visit, source: string, target: string) {
  const found = await visit.find(repositoryCompare, { id: visit.project.id, from: target, to: source })
  const commits = found?.commits ?? []
  const [only] = commits.length === 1 ? commits : []
  const words = source.replace(/[-_]+/g, ' ').trim()
  return {
    isKnown: found !== null,
    commits: commits.length,
    files: found?.diffs.length ?? 0,
    title: only?.title || `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    description: only ? only.message.slice(only.title.length).trim() : '',
  }
}

function Plans({ visit, choices }: { visit: Visit; choices: Choices }): Html {
  const { members } = choices
  return (
    <div class="plans">
      <NewPeople visit={visit} name="reviewer_ids" title="Reviewers" members={members} />
      <NewPeople visit={visit} name="assignee_ids" title="Assignees" members={members} />
      <NewPlans visit={visit} choices={choices} />
    </div>
  )
}

type CreateProps = {
  visit: Visit
  ends: { source_branch: string; target_branch: string }
  proposal: Awaited<ReturnType<typeof readProposal>>
  choices: Choices
  mayUpload: boolean
}

function CreateForm({ visit, ends, proposal, choices, mayUpload }: CreateProps): Html {
  const performs = mergeRequestsCreate
  const { title = proposal.title, description = proposal.description } = visit.query
  return (
    <Form
      visit={visit}
      performs={performs}
      call={{ id: visit.project.id, ...ends }}
      then=":made"
      class="stack wide"
      uploads={mayUpload}
    >
      <Field visit={visit} operation={performs} name="title" options={{ value: title }} />
      <MarkdownField visit={visit} operation={performs} value={description} rows={10} />
      <Plans visit={visit} choices={choices} />
      <Field
        visit={visit}
        operation={performs}
        name="remove_source_branch"
        options={{
          label: 'Delete the source branch when it is merged',
          hint: ' ',
          value: visit.project.remove_source_branch_after_merge ?? false,
        }}
      />
      <Field
        visit={visit}
        operation={performs}
        name="squash"
        options={{ label: 'Squash the commits when it is merged', hint: ' ' }}
      />
      <FormButtons uploads={mayUpload}>Create merge request</FormButtons>
    </Form>
  )
}

/** Chooses two branches, then the texts of a new merge request. The address may have values for its fields. */
export const newRequest = page({
  at: 'project',
  path: 'merge_requests/new',
  performs: [mergeRequestsCreate, requestOperations.upload],
  async show(visit) {
    const { id, default_branch: main } = visit.project
    if (!(await visit.may(mergeRequestsCreate, { id }))) throw forbidden()
    const { source_branch: source = '', target_branch: target = main ?? 'main' } = visit.query
    const view = { title: 'New merge request', crumbs: requestCrumbs(visit) }
    if (source === '') return { ...view, body: <div>{await branchChooser(visit, source, target)}</div> }
    const [chooser, proposal, choices, mayUpload] = await Promise.all([
      branchChooser(visit, source, target),
      readProposal(visit, source, target),
      readChoices(visit),
      visit.may(requestOperations.upload, { id }),
    ])
    const ends = { source_branch: source, target_branch: target }
    return {
      ...view,
      body: (
        <div>
          {chooser}
          {proposal.isKnown ? (
            <p class="soft">
              {proposal.commits === 1 ? '1 commit' : `${proposal.commits} commits`},{' '}
              <a href={compareAddress(visit, target, source)}>
                {proposal.files === 1 ? '1 changed file' : `${proposal.files} changed files`}
              </a>
            </p>
          ) : (
            <p class="problem">One of these branches does not exist.</p>
          )}
          <CreateForm visit={visit} ends={ends} proposal={proposal} choices={choices} mayUpload={mayUpload} />
        </div>
      ),
    }
  },
})

/** Changes the texts and the target branch of a merge request, or deletes it. */
export const editRequest = page({
  at: 'project',
  path: 'merge_requests/:iid/edit',
  performs: [mergeRequestsUpdate, mergeRequestsDelete, requestOperations.upload],
  async show(visit) {
    const of = await readRequest(visit)
    const { request, call } = of
    if (!of.mayChange) throw forbidden()
    const [mayUpload, mayDelete, names] = await Promise.all([
      visit.may(requestOperations.upload, { id: call.id }),
      visit.may(mergeRequestsDelete, call),
      branchNames(visit),
    ])
    const performs = mergeRequestsUpdate
    const address = requestAddress(visit, request)
    return {
      title: 'Edit merge request',
      crumbs: [...requestCrumbs(visit), [request.reference, address]],
      body: (
        <div class="sections">
          <Form visit={visit} performs={performs} call={call} then={address} class="stack wide" uploads={mayUpload}>
            <Field visit={visit} operation={performs} name="title" options={{ value: request.title }} />
            {request.state === 'opened' && (
              <div class="field">
                <label for="target-branch">Target branch</label>
                <input id="target-branch" name="target_branch" value={request.target_branch} list="branches" required />
                {names}
              </div>
            )}
            <MarkdownField visit={visit} operation={performs} value={request.description} rows={14} />
            <Field
              visit={visit}
              operation={performs}
              name="remove_source_branch"
              options={{
                label: 'Delete the source branch when it is merged',
                hint: ' ',
                value: request.force_remove_source_branch ?? false,
              }}
            />
            <Field
              visit={visit}
              operation={performs}
              name="squash"
              options={{ label: 'Squash the commits when it is merged', hint: ' ', value: request.squash }}
            />
            <FormButtons uploads={mayUpload}>Save</FormButtons>
          </Form>
          {mayDelete && (
            <Deletion
              visit={visit}
              performs={mergeRequestsDelete}
              call={call}
              then={addressIn(visit, 'merge_requests')}
              question={`Delete ${request.title} with its discussion? Its branches stay.`}
            >
              Delete the merge request
            </Deletion>
          )}
        </div>
      ),
    }
  },
})
