import type { Child, Html } from '../../html/index.ts'
import { Icon, Time, Title } from '../../parts/parts.tsx'

type Item = {
  title: string
  state: string
  author: { name: string; username: string }
  created_at: string
  closed_at?: string | null
  confidential?: boolean
}

/** The title of an issue or epic, its state, and who wrote it. */
export function ItemHead({ item, children }: { item: Item; children?: Child }): Html {
  const isOpen = item.state === 'opened'
  return (
    <div class="item-head">
      <h1>
        <Title text={item.title} />
      </h1>
      <p>
        <span class={`state ${item.state}`}>
          <Icon name={isOpen ? 'open' : 'done'} />
          {isOpen ? 'Open' : 'Closed'}
        </span>
        {item.confidential && (
          <span class="tagged">
            <Icon name="lock" /> confidential
          </span>
        )}{' '}
        <a class="strong" href={`/${item.author.username}`}>
          {item.author.name}
        </a>{' '}
        <span class="soft">
          opened this <Time at={item.created_at} />
          {!isOpen && item.closed_at && (
            <>
              , closed <Time at={item.closed_at} />
            </>
          )}
        </span>
      </p>
      {children}
    </div>
  )
}
