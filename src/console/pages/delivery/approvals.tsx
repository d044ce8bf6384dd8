import type { AnswerOf, CallOf } from '../../../api/index.ts'
import { deploymentsApprove, type deploymentsGet } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Status } from '../../parts/parts.tsx'

type Shown = { visit: Visit; one: AnswerOf<typeof deploymentsGet> }
type Call = CallOf<typeof deploymentsApprove> & { id: number; deployment_id: number }

/** Which answers the caller may give. */
export async function readAnswers(visit: Visit, call: Call) {
  const [approves, rejects] = await Promise.all([
    visit.may(deploymentsApprove, { ...call, status: 'approved' }),
    visit.may(deploymentsApprove, { ...call, status: 'rejected' }),
  ])
  return { approves, rejects }
}

type Answers = Awaited<ReturnType<typeof readAnswers>>

/** What the rules of the environment ask for, who has answered, and the form for an answer. */
export function Approvals({ visit, one, call, answers }: Shown & { call: Call; answers: Answers }) {
  // Below the edition Premium, deployments have no approvals.
  const rules = one.approval_summary?.rules ?? []
  if (rules.length === 0) return <></>
  return (
    <section>
      <h2>Approvals</h2>
      <ul class="rows">
        {rules.map(({ access_level_description: who, required_approvals: required, deployment_approvals: given }) => (
          <li>
            <span class="grow">{who}</span>
            <span class="meta">
              {given.filter(({ status }) => status === 'approved').length} of {required}
            </span>
          </li>
        ))}
      </ul>
      <ul class="rows">
        {one.approvals.map(({ user, status, comment }) => (
          <li>
            <Status status={status} />
            <span class="grow">
              {user?.name} {comment && <span class="soft">{comment}</span>}
            </span>
          </li>
        ))}
      </ul>
      {answers.rejects && (
        <Form visit={visit} performs={deploymentsApprove} call={call} class="stack">
          <Field visit={visit} operation={deploymentsApprove} name="comment" />
          <div class="actions">
            {answers.approves && (
              <button class="primary" name="status" value="approved">
                Approve
              </button>
            )}
            <button class="danger" name="status" value="rejected">
              Reject
            </button>
          </div>
        </Form>
      )}
    </section>
  )
}
