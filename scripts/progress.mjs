/** A bar on the terminal that shows how far something is. Without a terminal nothing is shown. */

const width = 30
const everyMs = 200

/**
 * Shows a bar on standard error until the returned function is called, which removes it.
 * @param what the things that are counted
 * @param count how many of `total` are done now
 */
export function showProgress(what, total, count) {
  if (!process.stderr.isTTY || total === 0) return () => {}
  const startedAt = performance.now()
  const show = () => {
    const share = Math.min(1, count() / total)
    const bar = '█'.repeat(Math.round(share * width)).padEnd(width, '░')
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    process.stderr.write(`\r\x1b[K${bar} ${Math.floor(share * 100)} % of ${total} ${what}, ${seconds} s`)
  }
  show()
  const timer = setInterval(show, everyMs)
  return () => {
    clearInterval(timer)
    process.stderr.write('\r\x1b[K')
  }
}
