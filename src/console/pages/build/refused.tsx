import type { Visit } from '../../page.ts'

/** What a button was refused for, once above all of them. @param except the operation of a form that says so itself */
export function Refused({ visit: { refused }, except }: { visit: Visit; except?: string | undefined }) {
  if (!refused || refused.operation === except) return <></>
  return (
    <p class="problem" role="alert">
      {refused.sentence}
    </p>
  )
}
