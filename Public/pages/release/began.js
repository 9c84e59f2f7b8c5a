/** Returns whether a release was stopped before its activeTime; without the time of the stop, whether that is certain by now. */
export const neverBegan = ({ state, activeTime }, stoppedAt) => /^(halted|rolled-back)$/.test(state) && Date.parse(activeTime) > (Date.parse(stoppedAt) || Date.now());
