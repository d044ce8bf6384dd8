import type { Operation } from '../../api/index.ts'
import type { Child } from '../html/index.ts'
import type { Visit } from '../page.ts'

/** A sentence that says what is wrong. */
export function Problem({ children }: { children: Child }) {
  return (
    <p class="problem" role="alert">
      {children}
    </p>
  )
}

/** Why a form or button did nothing, where it has no room to say it. @param of that of this operation only @param except a form that says so itself */
export function Refusal({
  visit: { refused },
  of,
  except,
}: {
  visit: Visit
  of?: Operation
  except?: Operation | undefined
}) {
  if (!refused || (of && refused.operation !== of.id) || refused.operation === except?.id) return <></>
  return <Problem>{refused.sentence}</Problem>
}
