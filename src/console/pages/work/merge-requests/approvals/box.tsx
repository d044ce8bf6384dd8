import type { Html } from '../../../../html/index.ts'
import { approvalsApprove, approvalsUnapprove } from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import { Do, Field, Form } from '../../../../parts/form.tsx'
import { Avatar, Icon } from '../../../../parts/parts.tsx'
import { addressIn } from '../../places.ts'
import type { ApprovalRules, MergeFacts } from '../merging/merge-facts.ts'
import type { ReadRequest } from '../read.ts'

function Person({ name, username }: { name: string; username: string }): Html {
  return (
    <a href={`/${username}`} title={name}>
      <Avatar name={name} />
      <span class="hidden">{name}</span>
    </a>
  )
}

function Rule({ rule }: { rule: ApprovalRules[number] }): Html {
  const { name, approved, approved_by: by, approvals_required: required, eligible_approvers: eligible } = rule
  return (
    <tr>
      <th scope="row">
        <Icon name={approved ? 'done' : 'waiting'} label={approved ? 'Approved' : 'Waits'} /> {name}
      </th>
      <td>{required === 0 ? 'optional' : `${Math.min(by.length, required)} of ${required}`}</td>
      <td class="people">
        {by.map((person) => (
          <Person {...person} />
        ))}
      </td>
      <td class="soft">
        {!approved && eligible.length > 0 && eligible.length <= 10 && eligible.map(({ name }) => name).join(', ')}
        {!approved && eligible.length > 10 && `${eligible.length} people`}
      </td>
    </tr>
  )
}

/** The rules of approvals with their progress. */
function Rules({ rules }: { rules: ApprovalRules }): Html {
  if (rules.length === 0) return <></>
  return (
    <div class="scroll" tabindex={0} role="region" aria-label="Approval rules">
      <table class="list approval-rules">
        <thead>
          <tr>
            <th scope="col">Rule</th>
            <th scope="col">Approvals</th>
            <th scope="col">By</th>
            <th scope="col">May approve</th>
          </tr>
        </thead>
        <tbody>
          {rules.map((rule) => (
            <Rule rule={rule} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** The button, and the password where the settings ask for it. */
function Approve({ visit, call, asks }: { visit: Visit; call: Record<string, string | number>; asks: boolean }): Html {
  if (!asks) {
    return (
      <Do visit={visit} performs={approvalsApprove} call={call} kind="primary">
        Approve
      </Do>
    )
  }
  return (
    <Form visit={visit} performs={approvalsApprove} call={call} class="stack">
      <Field visit={visit} operation={approvalsApprove} name="approval_password" options={{ label: 'Your password' }} />
      <button class="primary">Approve</button>
    </Form>
  )
}

/** Who has approved, what the rules require, and the button of the caller. */
export function ApprovalsOf({
  visit,
  of: { call, request },
  facts,
}: {
  visit: Visit
  of: ReadRequest
  facts: MergeFacts
}): Html {
  const { approvals, rules, mayReadRules } = facts
  if (!approvals) return <></>
  const { approved_by: given, user_can_approve: mayApprove, user_has_approved: hasApproved } = approvals
  const isOpen = request.state === 'opened'
  return (
    <div class="merge-part approvals">
      <div class="approval-line">
        {isOpen && mayApprove && (
          <Approve
            visit={visit}
            call={{ ...call, sha: request.sha }}
            asks={approvals.require_password_to_approve === true}
          />
        )}
        {isOpen && hasApproved && (
          <Do visit={visit} performs={approvalsUnapprove} call={call}>
            Withdraw your approval
          </Do>
        )}
        {given.length === 0 ? (
          <span class="soft">No approvals yet.</span>
        ) : (
          <>
            <span>Approved by</span>
            <span class="people">
              {given.map(({ user }) => (
                <Person {...user} />
              ))}
            </span>
          </>
        )}
      </div>
      <Rules rules={rules} />
      {isOpen && mayReadRules && (
        <a class="soft" href={addressIn(visit, `merge_requests/${request.iid}/approval_rules`)}>
          Rules of this merge request
        </a>
      )}
    </div>
  )
}
