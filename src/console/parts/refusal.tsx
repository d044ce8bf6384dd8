import type { Operation } from '../../api/index.ts'
import type { Visit } from '../page.ts'

/** Why a form or button did nothing, where it has no room to say it. @param of that of this operation only */
export function Refusal({ visit: { refused }, of }: { visit: Visit; of?: Operation }) {
  if (!refused || (of && refused.operation !== of.id)) return <></>
  return (
    <p class="problem" role="alert">
      {refused.sentence}
    </p>
  )
}
