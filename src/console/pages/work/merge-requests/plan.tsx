import type { Html } from '../../../html/index.ts'
import { mergeRequestsUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import type { Choices } from '../choices.ts'
import { addressIn } from '../places.ts'
import { LabelsField, MilestoneField, PeopleField } from '../planning.tsx'
import type { Reviewers } from './merging/merge-facts.ts'
import type { ReadRequest } from './read.ts'

type PlanProps = { visit: Visit; of: ReadRequest; choices: Choices; reviewers: Reviewers }

const reviewWords: Readonly<Record<string, string>> = {
  unreviewed: 'not reviewed yet',
  reviewed: 'reviewed',
  review_started: 'has begun',
  requested_changes: 'requested changes',
  approved: 'approved',
  unapproved: 'withdrew the approval',
}

/** Who is to do what with a merge request, and what it is planned for, each with its form. */
export function Plan({ visit, of: { request, call, mayPlan }, choices, reviewers }: PlanProps): Html {
  const planned = { visit, performs: mergeRequestsUpdate, call, mayPlan }
  const { members, labels } = choices
  return (
    <>
      <PeopleField
        planned={planned}
        title="Assignees"
        name="assignee_ids"
        people={request.assignees}
        members={members}
        own="Assign it to yourself"
      />
      <PeopleField
        planned={planned}
        title="Reviewers"
        name="reviewer_ids"
        people={reviewers.map(({ user, state }) => ({ ...user, said: reviewWords[state] ?? state }))}
        members={members}
      />
      <LabelsField
        planned={planned}
        labels={request.labels}
        choices={labels}
        list={addressIn(visit, 'merge_requests')}
      />
      <MilestoneField planned={planned} milestone={request.milestone} choices={choices} />
    </>
  )
}
