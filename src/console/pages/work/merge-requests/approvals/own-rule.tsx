import { requestRuleDelete, requestRuleGet, requestRuleUpdate } from '../../../../operations.ts'
import { numberIn, page } from '../../../../page.ts'
import { Confirm } from '../../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../../parts/form.tsx'
import { Refusal } from '../../../../parts/refusal.tsx'
import { addressIn } from '../../places.ts'
import { requestCrumbs } from '../head.tsx'
import { readRequest } from '../read.ts'

/** An approval rule of a merge request, and the form that changes it. */
export const ownRule = page({
  at: 'project',
  path: 'merge_requests/:iid/approval_rules/:approval_rule_id',
  performs: [requestRuleUpdate, requestRuleDelete],
  async show(visit) {
    const { request, call: ofRequest } = await readRequest(visit)
    const call = { ...ofRequest, approval_rule_id: numberIn(visit, 'approval_rule_id') }
    const [rule, mayChange] = await Promise.all([visit.read(requestRuleGet, call), visit.may(requestRuleUpdate, call)])
    const at = addressIn(visit, `merge_requests/${request.iid}`)
    const field = { visit, operation: requestRuleUpdate }
    const people = rule.eligible_approvers.map(({ name }) => name).join(', ')
    return {
      title: rule.name,
      crumbs: [...requestCrumbs(visit), [request.reference, at], ['Approval rules', `${at}/approval_rules`]],
      actions: mayChange && (
        <Confirm label="Delete" question={`Delete the rule ${rule.name}?`}>
          <Do visit={visit} performs={requestRuleDelete} call={call} then={`${at}/approval_rules`} kind="danger">
            Delete the rule
          </Do>
        </Confirm>
      ),
      body: (
        <div class="derived">
          <Refusal visit={visit} of={requestRuleDelete} />
          <p class="soft">
            {rule.approvals_required === 0 ? 'Optional' : `${rule.approvals_required} required`}
            {people && `, of ${people}`}.
          </p>
          {mayChange && (
            <Form visit={visit} performs={requestRuleUpdate} call={call} class="stack">
              <Field {...field} name="name" options={{ label: 'Name', value: rule.name }} />
              <Field
                {...field}
                name="approvals_required"
                options={{ label: 'Approvals', value: rule.approvals_required }}
              />
              <Field
                {...field}
                name="usernames"
                options={{
                  label: 'User names of those who may give them',
                  value: rule.users.map(({ username }) => username),
                }}
              />
              <button class="primary">Save</button>
            </Form>
          )}
        </div>
      ),
    }
  },
})
