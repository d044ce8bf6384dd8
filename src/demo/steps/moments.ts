/** A time: days before the present, and the time of the day in UTC, such as `12d 14:30`. */
export type Moment = `${number}d ${number}:${number}`

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Translates moments. */
export type Moments = {
  /** In milliseconds since 1970. */
  ms(moment: Moment): number
  /** Replaces each `{day+3}` or `{day-3}` in the texts of a value by the date that many days after or before the present day. */
  dated<T>(value: T): T
}

/** @param start the present */
export function momentsBefore(start: Date): Moments {
  const midnightMs = Math.floor(start.getTime() / dayMs) * dayMs
  const dateIn = (days: number) => new Date(midnightMs + days * dayMs).toISOString().slice(0, 10)
  const withDates = (text: string) => text.replace(/\{day([+-]\d+)\}/g, (_, days: string) => dateIn(Number(days)))
  return {
    ms(moment) {
      const [, days, hours, minutes] = /^(\d+)d (\d+):(\d+)$/.exec(moment) ?? []
      return midnightMs - Number(days) * dayMs + Number(hours) * hourMs + Number(minutes) * minuteMs
    },
    dated: <T>(value: T) =>
      JSON.parse(JSON.stringify(value), (_, each) => (typeof each === 'string' ? withDates(each) : each)) as T,
  }
}
