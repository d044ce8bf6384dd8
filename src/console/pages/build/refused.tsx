import type { Visit } from '../../page.ts'

/** What a button was refused for, where the page has several that perform the same operation. */
export function Refused({ visit: { refused } }: { visit: Visit }) {
  if (!refused) return <></>
  return (
    <p class="problem" role="alert">
      {refused.sentence}
    </p>
  )
}
