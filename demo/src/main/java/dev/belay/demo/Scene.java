package dev.belay.demo;

import java.util.List;

/**
 * What there is to see at one moment.
 *
 * @param sentence what Belay says; empty when it says nothing, or is not there
 */
record Scene(List<EtcdMember> members, WriteLoad.Figures writes, String sentence) {}
