import { forbidden } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import { issuesClone, issuesCreate, issuesDelete, issuesMove, issuesUpdate, projectsList } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { MarkdownField } from '../../../parts/writing/index.ts'
import { Deletion, FormButtons, NewOne, NewPeople, NewPlans } from '../new-item.tsx'
import { addressIn } from '../places.ts'
import { Select } from '../side.tsx'
import { issueOperations } from './names.ts'
import { type IssueChoices, nameOfIteration, type ReadIssue, readIssue, readIssueChoices } from './read.ts'

/** What a new issue is planned for; only planners are heard. */
function Plans({ visit, choices }: { visit: Visit; choices: IssueChoices }): Html {
  return (
    <div class="plans">
      <NewPeople visit={visit} name="assignee_ids" title="Assignees" members={choices.members} />
      <NewPlans visit={visit} choices={choices} />
      <NewOne
        visit={visit}
        name="iteration_id"
        title="Iteration"
        choices={choices.iterations.map((one) => [one.id, nameOfIteration(one)])}
      />
      {(['due_date', 'weight'] as const).map((name) => (
        <Field visit={visit} operation={issuesCreate} name={name} options={{ hint: ' ' }} />
      ))}
    </div>
  )
}

/** The form for a new issue. The address may have values for its fields. */
export const newIssue = page({
  at: 'project',
  path: 'issues/new',
  performs: [issuesCreate, issueOperations.upload],
  async show(visit) {
    const { id } = visit.project
    if (!(await visit.may(issuesCreate, { id }))) throw forbidden()
    const [mayPlan, mayUpload] = await Promise.all([
      visit.may(issuesCreate, { id, milestone_id: 0 }),
      visit.may(issueOperations.upload, { id }),
    ])
    const choices = mayPlan && (await readIssueChoices(visit))
    const { title, description, issue_type: type } = visit.query
    return {
      title: 'New issue',
      crumbs: [['Issues', addressIn(visit, 'issues')]],
      body: (
        <Form visit={visit} performs={issuesCreate} call={{ id }} then=":made" class="stack wide" uploads={mayUpload}>
          <Field visit={visit} operation={issuesCreate} name="title" options={{ value: title }} />
          <MarkdownField visit={visit} operation={issuesCreate} value={description} rows={12} />
          <Field visit={visit} operation={issuesCreate} name="issue_type" options={{ value: type, label: 'Type' }} />
          <Field visit={visit} operation={issuesCreate} name="confidential" />
          {choices && <Plans visit={visit} choices={choices} />}
          <FormButtons uploads={mayUpload}>Create issue</FormButtons>
        </Form>
      ),
    }
  },
})

type Project = { id: number; name_with_namespace: string }

/** Moves the issue to another project, or copies it. */
function Elsewhere({ visit, of, projects }: { visit: Visit; of: ReadIssue; projects: readonly Project[] }): Html {
  const others = projects.map(({ id, name_with_namespace: name }) => [id, name] as const)
  const targets = others.filter(([id]) => id !== visit.project.id)
  return (
    <>
      {targets.length > 0 && (
        <section>
          <h2>Move to another project</h2>
          <Form visit={visit} performs={issuesMove} call={of.call} then=":made" class="filter">
            <Select name="to_project_id" label="Project" choices={targets} chosen={null} />
            <button>Move</button>
          </Form>
        </section>
      )}
      <section>
        <h2>Copy</h2>
        <Form visit={visit} performs={issuesClone} call={of.call} then=":made" class="filter">
          <Select name="to_project_id" label="Project of the copy" choices={others} chosen={visit.project.id} />
          <label>
            <input type="checkbox" name="with_notes" value="true" /> with its comments
          </label>
          <button>Copy</button>
        </Form>
      </section>
    </>
  )
}

/** Changes the title and the text of an issue, moves it or deletes it. */
export const editIssue = page({
  at: 'project',
  path: 'issues/:iid/edit',
  performs: [issuesUpdate, issuesMove, issuesClone, issuesDelete, issueOperations.upload],
  async show(visit) {
    const of = await readIssue(visit)
    const { issue, call, mayChange, mayPlan } = of
    if (!mayChange) throw forbidden()
    const [mayUpload, mayDelete, projects] = await Promise.all([
      visit.may(issueOperations.upload, { id: call.id }),
      visit.may(issuesDelete, call),
      mayPlan ? visit.find(projectsList, { min_access_level: 15, simple: true, per_page: 100 }) : null,
    ])
    const address = addressIn(visit, `issues/${issue.iid}`)
    return {
      title: 'Edit issue',
      crumbs: [
        ['Issues', addressIn(visit, 'issues')],
        [`#${issue.iid}`, address],
      ],
      body: (
        <div class="sections">
          <Form visit={visit} performs={issuesUpdate} call={call} then={address} class="stack wide" uploads={mayUpload}>
            <Field visit={visit} operation={issuesUpdate} name="title" options={{ value: issue.title }} />
            <MarkdownField visit={visit} operation={issuesUpdate} value={issue.description} rows={16} />
            <FormButtons uploads={mayUpload}>Save</FormButtons>
          </Form>
          {mayPlan && projects && <Elsewhere visit={visit} of={of} projects={projects.items as readonly Project[]} />}
          {mayDelete && (
            <Deletion
              visit={visit}
              performs={issuesDelete}
              call={call}
              then={addressIn(visit, 'issues')}
              question={`Delete ${issue.title} with its discussion?`}
            >
              Delete the issue
            </Deletion>
          )}
        </div>
      ),
    }
  },
})
