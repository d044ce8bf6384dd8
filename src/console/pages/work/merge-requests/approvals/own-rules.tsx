import { approvalsState, requestRuleCreate, requestRuleDelete, requestRulesList } from '../../../../operations.ts'
import { page } from '../../../../page.ts'
import { Confirm } from '../../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../../parts/form.tsx'
import { Empty, Pages } from '../../../../parts/parts.tsx'
import { Refusal } from '../../../../parts/refusal.tsx'
import { addressIn } from '../../places.ts'
import { requestCrumbs } from '../head.tsx'
import { readRequest } from '../read.ts'

/** The approval rules of a merge request, and a form for its own ones, which stand in place of those of people in the project. */
export const ownRules = page({
  at: 'project',
  path: 'merge_requests/:iid/approval_rules',
  performs: [requestRuleCreate, requestRuleDelete],
  async show(visit) {
    const { request, call } = await readRequest(visit)
    const at = addressIn(visit, `merge_requests/${request.iid}`)
    const [found, state, mayChange] = await Promise.all([
      visit.read(requestRulesList, { ...call, page: visit.number }),
      visit.read(approvalsState, call),
      visit.may(requestRuleCreate, { ...call, name: '', approvals_required: 0 }),
    ])
    const isOpen = request.state === 'opened'
    const mayChangeRules = isOpen && mayChange && state.approval_rules_overwritten
    const field = { visit, operation: requestRuleCreate }
    return {
      title: 'Approval rules',
      crumbs: [...requestCrumbs(visit), [request.reference, at]],
      body: (
        <div class="derived">
          <Refusal visit={visit} of={requestRuleDelete} />
          <p class="soft">
            {state.approval_rules_overwritten
              ? 'The merge request has rules of its own in place of those of the project.'
              : 'The rules of the project apply.'}
          </p>
          {found.items.length === 0 && <Empty title="No approval is required." />}
          <ul class="rows">
            {found.items.map(({ id, name, approvals_required: required, eligible_approvers: people, source_rule }) => (
              <li>
                <div class="grow">
                  {mayChangeRules ? (
                    <a href={`${at}/approval_rules/${id}`}>{name}</a>
                  ) : (
                    <span class="strong">{name}</span>
                  )}{' '}
                  {source_rule && <span class="tagged">of the project</span>}
                  <p class="sub">
                    {required === 0 ? 'optional' : `${required} required`}
                    {people.length > 0 && `, of ${people.map((one) => one.name).join(', ')}`}
                  </p>
                </div>
                {mayChangeRules && (
                  <Confirm label="Delete" question={`Delete the rule ${name}?`}>
                    <Do
                      visit={visit}
                      performs={requestRuleDelete}
                      call={{ ...call, approval_rule_id: id }}
                      kind="danger"
                    >
                      Delete the rule
                    </Do>
                  </Confirm>
                )}
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
          {isOpen && mayChange && (
            <section>
              <h2>New rule of this merge request</h2>
              <Form visit={visit} performs={requestRuleCreate} call={call} class="stack">
                <Field {...field} name="name" options={{ label: 'Name' }} />
                <Field {...field} name="approvals_required" options={{ label: 'Approvals', value: 1 }} />
                <Field
                  {...field}
                  name="usernames"
                  options={{
                    label: 'User names of those who may give them',
                    rows: 1,
                    hint: 'With commas between them.',
                  }}
                />
                <button class="primary">Add the rule</button>
              </Form>
            </section>
          )}
        </div>
      ),
    }
  },
})
