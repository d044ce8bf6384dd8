const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const exactFormat = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})
const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

function update(time: HTMLTimeElement): void {
  const at = Date.parse(time.dateTime)
  if (Number.isNaN(at) || time.dateTime.length === 10) return
  const seconds = (at - Date.now()) / 1000
  const unit = units.find(([, length]) => Math.abs(seconds) >= length)
  const relative = unit ? format.format(Math.trunc(seconds / unit[1]), unit[0]) : 'just now'
  const text = time.className === 'exact' ? `${relative}: ${exactFormat.format(at)}` : relative
  if (time.textContent !== text) time.textContent = text
  const whole = new Date(at).toLocaleString()
  if (time.title !== whole) time.title = whole
}

/** Keeps times current, and shows the whole time in the reader's zone. */
export function relativeTimes(root: ParentNode = document): void {
  const all = () => root.querySelectorAll<HTMLTimeElement>('time').forEach(update)
  all()
  if (root === document) setInterval(all, 20_000)
}
