import { addressOfPage } from '../frame/addresses.ts'
import type { Html } from '../html/index.ts'
import { notificationTwins } from '../operations.ts'
import type { Visit } from '../page.ts'
import { Do } from './form.tsx'
import { Icon } from './parts.tsx'

/** What the levels of a setting say, where it is the only one. */
export const ownLevels = [
  ['participating', 'Participating: what you take part in'],
  ['mention', 'On mention: where you are mentioned'],
  ['watch', 'Watch: everything'],
  ['custom', 'Custom: what you take part in, and chosen events'],
  ['disabled', 'Disabled: nothing, but for what you have subscribed to'],
] as const

/** Those of a project or group, which may leave it to the settings above. */
export const placeLevels = [['global', 'As for the group above, or for everything'], ...ownLevels] as const

type MenuProps = { visit: Visit; at: 'project' | 'group'; level: string }

function Menu({ visit, at, level: current }: MenuProps) {
  const call = { id: visit[at].id }
  const settings = addressOfPage(visit, at, 'notifications')
  return (
    <details class="menu">
      <summary class="button">
        <Icon name="bell" label="Notifications" />
      </summary>
      <div class="popup">
        {placeLevels.map(([level, words]) =>
          level === current ? (
            <strong aria-current="true">{words}</strong>
          ) : (
            <Do
              visit={visit}
              performs={notificationTwins[at].update}
              form={level}
              call={{ ...call, level }}
              then={level === 'custom' ? settings : visit.path}
              kind="quiet"
            >
              {words}
            </Do>
          ),
        )}
        <a href={settings}>All settings</a>
      </div>
    </details>
  )
}

/** The level at which the caller is told of a project or group, with a button for each other one; nothing for who has no setting. */
export async function notificationMenu(visit: Visit, at: 'project' | 'group'): Promise<Html> {
  const { get, update } = notificationTwins[at]
  const call = { id: visit[at].id }
  const setting = (await visit.may(update, call)) ? await visit.find(get, call) : null
  return setting ? <Menu visit={visit} at={at} level={setting.level} /> : <></>
}
