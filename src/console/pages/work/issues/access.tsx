import type { Html } from '../../../html/index.ts'
import { issuesUpdate } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Do } from '../../../parts/form.tsx'
import { LockButton } from '../personal.tsx'
import type { ReadIssue } from './read.ts'

/** Who may read and write an issue. */
export function Access({ visit, of: { issue, call, mayChange, mayPlan } }: { visit: Visit; of: ReadIssue }): Html {
  const { confidential, discussion_locked: isLocked } = issue
  return (
    <section>
      <h2>Who reads and writes</h2>
      <p class="shown">
        {confidential
          ? 'Confidential: only members who plan, its author and its assignees.'
          : 'All who see the issues.'}
        {isLocked && ' Locked: only members comment.'}
      </p>
      <div class="side-buttons">
        {mayChange && (
          <Do visit={visit} performs={issuesUpdate} form="confidential" call={{ ...call, confidential: !confidential }}>
            {confidential ? 'Make it open' : 'Make it confidential'}
          </Do>
        )}
        <LockButton planned={{ visit, performs: issuesUpdate, call, mayPlan }} isLocked={isLocked} />
      </div>
    </section>
  )
}
