/** The page of an alert. */
export function alertUrl(externalUrl: string, fullPath: string, iid: number): string {
  return `${externalUrl}/${fullPath}/-/alert_management/${iid}/details`
}
