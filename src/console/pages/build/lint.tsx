import type { AnswerOf } from '../../../api/index.ts'
import { highlightedLines } from '../../highlighting/index.ts'
import { ciLintGet, ciLintPost } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { codeTable } from '../../parts/code.ts'
import { TextField } from '../../parts/fields/text-field.tsx'
import { Field, Form } from '../../parts/form.tsx'
import { Icon } from '../../parts/parts.tsx'
import { at } from '../code/places.ts'

type Result = AnswerOf<typeof ciLintGet>

const example = `stages: [test]

test:
  script:
    - echo "Hello"
`

function Problems({ title, texts, kind }: { title: string; texts: readonly string[]; kind: string }) {
  if (texts.length === 0) return <></>
  return (
    <section>
      <h2>{title}</h2>
      <ul class={kind}>
        {texts.map((text) => (
          <li>{text}</li>
        ))}
      </ul>
    </section>
  )
}

type ListedJobs = NonNullable<Result['jobs']>

function Jobs({ jobs }: { jobs: ListedJobs }) {
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Jobs">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Stage</th>
            <th scope="col">When</th>
            <th scope="col">Script</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map(({ name, stage, when, allow_failure: mayFail, before_script, script, after_script }) => (
            <tr>
              <td class="strong">{name}</td>
              <td>{stage}</td>
              <td>
                {when.replaceAll('_', ' ')}
                {mayFail && <span class="tagged">may fail</span>}
              </td>
              <td>
                <details>
                  <summary>Show</summary>
                  <pre tabindex={0}>{[...before_script, ...script, ...after_script].join('\n')}</pre>
                </details>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

async function Shown(result: Result) {
  const { valid, errors, warnings, includes, merged_yaml: merged, jobs = [] } = result
  const [lines = []] = merged ? await highlightedLines([{ text: merged.replace(/\n$/, ''), language: 'yaml' }]) : []
  return (
    <div class="lint-result" role="status">
      <p class={`status ${valid ? 'success' : 'failed'}`}>
        <Icon name={valid ? 'done' : 'failed'} />
        {valid ? 'The configuration is valid.' : 'The configuration is not valid.'}
      </p>
      <Problems title="Errors" texts={errors} kind="problem" />
      <Problems title="Warnings" texts={warnings} kind="note-line" />
      {jobs.length > 0 && <Jobs jobs={jobs} />}
      <Problems
        title="Included files"
        texts={includes.map(({ location, context_project: project }) => `${location} (${project})`)}
        kind="soft"
      />
      {merged && (
        <details class="more">
          <summary>Merged text</summary>
          <div class="panel">
            <div class="scroll" tabindex={0} role="region" aria-label="Merged text">
              {codeTable(lines)}
            </div>
          </div>
        </details>
      )}
    </div>
  )
}

/** What was found: in the text that was sent, or in the file of a commit. */
async function resultOf(visit: Visit): Promise<Result | null> {
  if (visit.answered) return visit.answered.value as Result
  const { ref } = visit.query
  if (visit.refused || ref === undefined) return null
  const options = { dry_run: visit.query.dry_run !== undefined, include_jobs: true }
  return visit.read(ciLintGet, { id: visit.project.id, ...(ref !== '' && { content_ref: ref }), ...options })
}

function OfCommit({ visit }: { visit: Visit }) {
  const { ref = visit.project.default_branch ?? '' } = visit.query
  return (
    <form method="get" action={at(visit, 'ci/lint')} class="filter" aria-label="Check the file of a commit">
      <label for="lint-ref">Check the file at</label>
      <input id="lint-ref" name="ref" value={ref} spellcheck="false" />
      <button>Check</button>
    </form>
  )
}

/** Checks a configuration: a text, or the file of the project at a commit. */
export const lint = page({
  at: 'project',
  path: 'ci/lint',
  nav: { section: 'Build', label: 'Check a configuration', operation: ciLintGet },
  performs: [ciLintPost],
  async show(visit) {
    const { id } = visit.project
    const [result, mayCheck] = await Promise.all([resultOf(visit), visit.may(ciLintPost, { id })])
    const written = visit.answered?.values ?? {}
    const text = typeof written.content === 'string' ? written.content : example
    const form = { visit, operation: ciLintPost }
    return {
      title: 'Check a configuration',
      crumbs: [['Pipelines', at(visit, 'pipelines')]],
      body: (
        <div>
          <OfCommit visit={visit} />
          {result && (await Shown(result))}
          {mayCheck && (
            <Form visit={visit} performs={ciLintPost} call={{ id, include_jobs: true }} shows class="stack wide">
              <TextField {...form} name="content" label="Configuration" value={text} rows={18} required />
              <Field
                {...form}
                name="dry_run"
                options={{ label: 'Choose the jobs as a new pipeline would', hint: '', value: written.dry_run }}
              />
              <button class="primary">Check the text</button>
            </Form>
          )}
        </div>
      ),
    }
  },
})
