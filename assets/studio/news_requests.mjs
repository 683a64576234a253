// Requests for news of the runs: several in flight where the way to the server is long, so that it
// does not limit how often a plane arrives. Of the answers not yet taken only the newest counts: it
// holds all that earlier ones do.

const MOST_IN_FLIGHT = 4; // browsers open six connections, and other requests need some
const SMOOTHING = 0.3; // the weight of the last answer in the travel time

/** @typedef {{ took: number, [name: string]: any }} Answer `took` is the time of the server in ms. */

export class NewsRequests {
  /**
   * @param {() => Promise<Answer>} send
   * @param {() => number} now in ms
   */
  constructor(send, now = () => performance.now()) {
    this.send = send;
    this.now = now;
    this.nSent = 0;
    this.nInFlight = 0;
    this.newest = 0; // the number of the newest answer
    this.travel = 0; // time that an answer spends on the way, in ms
    this.lastAt = -Infinity;
    /** @type {Answer | Error | null} */
    this.arrived = null;
    this.onArrival = () => {};
  }

  /** Sends a request; its answer, or the error, is then to be taken. */
  async begin() {
    const number = (this.nSent += 1);
    const began = (this.lastAt = this.now());
    this.nInFlight += 1;
    const answer = await this.send().catch((error) => error);
    this.nInFlight -= 1;
    if (!(answer instanceof Error)) this.noteTravel(this.now() - began - answer.took);
    if (number > this.newest) {
      this.newest = number;
      this.arrived = answer;
    }
    this.onArrival(); // an answer that was overtaken may be all that the next request waits for
  }

  noteTravel(milliseconds) {
    this.travel += SMOOTHING * (Math.max(0, milliseconds) - this.travel);
  }

  /** The newest answer or error that was not taken yet. */
  take() {
    const { arrived } = this;
    this.arrived = null;
    return arrived;
  }

  /**
   * How long until the next request may leave, in ms; Infinity while an answer has to come first.
   * @param {number} spacing between two requests, in ms
   * @param {boolean} isStreaming whether each answer is likely to hold a plane
   */
  due(spacing, isStreaming) {
    if (this.arrived) return Infinity;
    const most = isStreaming ? Math.min(MOST_IN_FLIGHT, 1 + Math.round(this.travel / spacing)) : 1;
    return this.nInFlight >= most ? Infinity : this.lastAt + spacing - this.now();
  }
}
