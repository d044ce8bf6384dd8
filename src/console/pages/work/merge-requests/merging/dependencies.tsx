import type { Html } from '../../../../html/index.ts'
import { requestBlocksCreate, requestBlocksDelete } from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import { pathOfUrl } from '../../../../parts/discussion/index.ts'
import { Do, Field, Form, visitOfForm } from '../../../../parts/form.tsx'
import { Title } from '../../../../parts/parts.tsx'
import type { ReadRequest } from '../read.ts'
import type { Block, MergeFacts } from './merge-facts.ts'

type Of = { visit: Visit; of: ReadRequest; facts: MergeFacts }

/** The merge request that must be merged first, and the button that ends this. */
export function Blocking({ visit, of: { call }, facts, block }: Of & { block: Block }): Html {
  const { id, blocking_merge_request: blocking } = block
  return (
    <>
      {blocking && (
        <a href={pathOfUrl(blocking.web_url)}>
          {blocking.project_id === call.id ? `!${blocking.iid}` : blocking.references.full}{' '}
          <Title text={blocking.title} />
        </a>
      )}{' '}
      {facts.mayChangeBlocks && (
        <Do visit={visit} performs={requestBlocksDelete} call={{ ...call, block_id: id }} kind="quiet">
          Remove the dependency
        </Do>
      )}
    </>
  )
}

/** The form that makes the merge request depend on another one. */
export function AddDependency({ visit, of: { call, request }, facts }: Of): Html {
  const performs = requestBlocksCreate
  if (!facts.mayChangeBlocks || request.state !== 'opened') return <></>
  const { refused } = visitOfForm(visit, performs)
  return (
    <details class="more dependencies" open={refused !== null}>
      <summary class="quiet">Add a dependency</summary>
      <Form visit={visit} performs={performs} call={call} class="stack">
        <Field
          visit={visit}
          operation={performs}
          name="blocking_merge_request_iid"
          options={{ label: 'Number of the merge request that must be merged first', hint: ' ' }}
        />
        <Field
          visit={visit}
          operation={performs}
          name="blocking_project_id"
          options={{ label: 'Path of its project', hint: 'Empty: this project.' }}
        />
        <button>Add</button>
      </Form>
    </details>
  )
}
